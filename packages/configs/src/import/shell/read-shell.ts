import type { Script } from 'unbash';
import { Notes } from '../note.ts';
import { Budget } from './budget.ts';
import { readScript } from './interpret.ts';
import { cleanSource, Lines, parseShell } from './parse.ts';
import { type Invocation, inSubshell, type Output, type Run } from './run.ts';
import { State } from './state.ts';
import { text, type Value } from './value.ts';

export type ShellReading = { commands: Invocation[]; notes: Notes; files: ReadonlyMap<string, Value> };
export type ShellOptions = {
  file: string;
  /** Variables of the environment the script is read in; `1`, `2`, … are its arguments. */
  set?: Readonly<Record<string, string>>;
  /** True for source text that holds what is looked for; it decides between branches that only running could. */
  wanted?: (source: string) => boolean;
};

/** Reads a script as Bash would run it, without running anything, and lists the commands it comes to. */
export function readShell(
  source: string,
  { file, set = {}, wanted = () => false }: ShellOptions,
): ShellReading {
  const lines = new Lines(cleanSource(source));
  const script = parseShell(lines, file);
  const commands: Invocation[] = [];
  const callers = functionsHolding(script, lines, wanted);
  const state = new State();
  const values: Value[] = [];
  for (const [name, value] of Object.entries(set)) {
    if (/^[1-9]\d?$/.test(name)) values[Number(name) - 1] = text(value, 0);
    else state.assign(name, { kind: 'scalar', value: text(value, 0) }, 0, { exported: true });
  }
  if (values.length > 0)
    state.arguments = { values: Array.from(values, (value) => value ?? []), open: false, shifted: 0 };
  const run: Run = {
    file,
    budget: new Budget(file),
    notes: new Notes(),
    wanted: (part) => wanted(part) || callers.some((name) => part.includes(name)),
    emit: (invocation) => {
      run.budget.spend('commands', 1, invocation.line);
      commands.push(invocation);
    },
    files: new Map(),
    parked: [],
    given: new Map(
      Object.keys(set)
        .filter((name) => !/^\d+$/.test(name))
        .map((name) => [name, false]),
    ),
    state,
    lines,
    output: undefined,
    input: undefined,
    via: [],
    captured: false,
    sourced: false,
    inCondition: false,
    capture: (inner) => captureScript(run, inner),
  };
  readScript(run, script);
  for (const [name, used] of run.given) {
    if (!used)
      run.notes.add({
        line: 1,
        code: 'set-unused',
        message: `the script itself never reads ${name}, given with \`--set\`; the launch finds it in its environment.`,
      });
  }
  return { commands, notes: run.notes, files: run.files };
}

/** Names of functions that hold what is looked for, or call one that does. */
function functionsHolding(script: Script, lines: Lines, wanted: (source: string) => boolean): string[] {
  const calledBy = new Map<string, string[]>();
  const found: string[] = [];
  for (const { command } of script.commands) {
    if (command.type !== 'Function') continue;
    const name = command.name.text;
    const body = lines.source.slice(command.body.pos, command.body.end);
    if (wanted(body)) found.push(name);
    for (const word of new Set(body.match(/[\w-]+/g)))
      calledBy.set(word, [...(calledBy.get(word) ?? []), name].slice(-100));
  }
  const names = new Set(found);
  for (const name of names) for (const caller of calledBy.get(name) ?? []) names.add(caller);
  return [...names].slice(0, 100);
}

/** What a substitution writes, trailing newlines dropped; undefined when a command in it has to run. */
function captureScript(run: Run, script: Script): Value | undefined {
  const line = run.lines.lineAt(script.pos);
  return run.budget.nested(line, () => {
    const output: Output = { value: [], unknown: false };
    const outer = run.lines;
    inSubshell(run, new State(run.state), () => {
      if (script.source !== undefined) run.lines = new Lines(script.source, outer.lineAt(script.pos));
      run.output = output;
      run.input = undefined;
      run.captured = true;
      readScript(run, script);
    });
    if (output.unknown) return undefined;
    return trimmed(output.value);
  });
}

function trimmed(value: Value): Value {
  const last = value.at(-1);
  if (!last || 'unknown' in last) return value;
  let end = last.text.length;
  while (end > 0 && last.text[end - 1] === '\n') end -= 1;
  if (end === last.text.length) return value;
  const rest = last.text.slice(0, end);
  return rest === '' ? trimmed(value.slice(0, -1)) : [...value.slice(0, -1), { ...last, text: rest }];
}
