import type { Command } from 'unbash';
import { type AssignHow, assign, noteGiven } from './assign.ts';
import { expandWord } from './expand.ts';
import type { Run } from './run.ts';
import { yes } from './state.ts';
import { known } from './value.ts';
import { settingOf } from './wrappers.ts';

export const declares = (name: string): boolean => /^(export|declare|typeset|local|readonly)$/.test(name);

/** `export X=1`, `declare -A M=(…)`, `local x y`, `readonly Z`. */
export function declare(run: Run, node: Command): void {
  const name = node.name?.text ?? '';
  const inFunction = run.state.isLocal && (name === 'local' || name === 'declare' || name === 'typeset');
  let flags = '';
  run.state.status = yes;
  for (const arg of node.args) {
    const line = run.lines.lineAt(arg.pos);
    const how: AssignHow = {
      ...(inFunction && !flags.includes('g') ? { local: true } : {}),
      ...(name === 'export' || flags.includes('x') ? { exported: !flags.includes('n') } : {}),
      ...(flags.includes('A')
        ? { kind: 'map' as const }
        : flags.includes('a')
          ? { kind: 'list' as const }
          : {}),
      ...(flags.includes('i') ? { integer: true } : {}),
    };
    if (arg.type === 'Assignment') {
      assign(run, arg, how);
      continue;
    }
    for (const word of expandWord(run, arg)) {
      const written = known(word.value);
      const setting = settingOf(word);
      if (written !== undefined && /^[-+][A-Za-z]+$/.test(written))
        flags += written.startsWith('-') ? written.slice(1) : '';
      else if (setting) {
        noteGiven(run, setting.name, line);
        run.state.assign(setting.name, { kind: 'scalar', value: setting.value }, line, how);
      } else if (written !== undefined && /^[A-Za-z_]\w*$/.test(written))
        declareName(run, name, written, line, how);
    }
  }
}

/** A name without a value: exported as it stands, or a new and empty one. */
function declareName(run: Run, command: string, name: string, line: number, how: AssignHow): void {
  const before = run.state.find(name);
  if (command === 'export' || command === 'readonly') {
    if (before) run.state.assign(name, before.held, before.line, how);
    return;
  }
  if (before && !how.local) {
    run.state.assign(name, before.held, before.line, how);
    return;
  }
  run.state.assign(name, how.kind ? { kind: how.kind, items: new Map() } : undefined, line, how);
}
