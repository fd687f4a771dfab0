import type { SyntaxNode } from 'unbash';
import type { Run } from './run.ts';
import type { Truth } from './state.ts';

/** One way a script can go on: its body (missing for an `else` that is not there) and what it is called. */
export type Branch = { body: SyntaxNode | undefined; label: string };

/**
 * Which branch to read when only running could decide. In this order: the branches that hold or call a launch, before
 * others; the branch as if unset variables were empty (`likely`); the first launch, or else the last branch (`else`,
 * or nothing). A branch without a launch that ends the script is passed over while another one does not.
 */
export function chooseBranch(run: Run, branches: readonly Branch[], likely: number | undefined): number {
  const all = branches.map((_, i) => i);
  const launching = all.filter((i) => holds(run, branches[i]?.body));
  const staying = all.filter((i) => launching.includes(i) || !leaves(run, branches[i]?.body));
  const open = launching.length > 0 ? launching : staying.length > 0 ? staying : all;
  if (likely !== undefined && open.includes(likely)) return likely;
  return (launching.length > 0 ? open[0] : open.at(-1)) ?? 0;
}

export function holds(run: Run, body: SyntaxNode | undefined): boolean {
  if (!body) return false;
  run.budget.spend('steps', 1 + Math.floor((body.end - body.pos) / 256), run.lines.lineAt(body.pos));
  return run.wanted(run.lines.source.slice(body.pos, body.end));
}

/** True for a body whose own commands (not those nested in further conditions) leave the script or function. */
function leaves(run: Run, body: SyntaxNode | undefined): boolean {
  if (body?.type !== 'CompoundList') return false;
  return body.commands.some(({ command }) => {
    if (command.type !== 'Command') return false;
    const name = command.name?.text ?? '';
    if (/^(exit|return|usage|die|fail|error)$/.test(name)) return true;
    const node = run.state.functions.get(name)?.node;
    const inner = node?.body.type === 'BraceGroup' ? node.body.body : undefined;
    return (
      inner?.commands.some((each) => each.command.type === 'Command' && each.command.name?.text === 'exit') ??
      false
    );
  });
}

export function noteDecision(
  run: Run,
  line: number,
  condition: string,
  taken: string,
  { unset }: Truth,
): void {
  run.budget.spend('steps', 1 + Math.floor(run.lines.source.length / 1024), line);
  const shown = condition.replaceAll(/\s+/g, ' ').trim();
  const cut = shown.length > 100 ? `${shown.slice(0, 100)}…` : shown;
  const names = settable(run, unset);
  run.notes.add({
    line,
    code: 'decided',
    message: `\`${cut}\` cannot be known without running the script; read ${taken}.`,
    hint:
      names.length > 0
        ? `Choose with ${names.map((name) => `\`--set ${name}=…\``).join(' or ')}.`
        : 'Check that line.',
  });
}

/** Which of these `--set` can decide: the script takes them from its environment or its arguments. */
function settable(run: Run, names: readonly string[]): string[] {
  return [...new Set(names)].flatMap((name): string[] => {
    if (name === '#' || name === '@') return ['1'];
    if (!/^\w+$/.test(name)) return [];
    const taken = new RegExp(`\\b${name}=["']?\\$\\{${name}:?[-=]`).test(run.lines.source);
    return taken || !run.state.find(name) ? [name] : [];
  });
}

/** Variables that a piece of the script mentions: what can be set to decide it. */
export function mentioned(source: string): string[] {
  return [...source.matchAll(/\$\{?([A-Za-z_]\w*)/g)].flatMap(([, name]) => (name ? [name] : []));
}
