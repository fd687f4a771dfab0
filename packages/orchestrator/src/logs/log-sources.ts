import { memberId } from '../agent/members.ts';
import { HerError } from '../errors.ts';
import type { Node, Target } from '../targets/target.ts';

/** A rank by its number, a service by its name. */
export type LogName = number | 'ray';

/** One log of an attempt: on which node, and what the attempt is called there. */
export type LogSource = { node: Node; id: string; log: LogName };

export type Member = { node: Node; id: string };

/** The nodes of an attempt, or the one that was named. */
export function membersOf(
  target: Target,
  attempt: { id: string; nodes: readonly string[] },
  named: string | undefined,
): Member[] {
  const names = attempt.nodes.length > 0 ? attempt.nodes : target.nodes.slice(0, 1).map(({ name }) => name);
  const members = names.map((name, i) => ({ node: target.node(name), id: memberId(attempt.id, i) }));
  const found = named === undefined ? members : members.filter(({ node }) => node.name === named);
  if (found.length > 0) return found;
  throw new HerError('NODE_UNKNOWN', `${attempt.id} does not run on ${named}`, {
    hint: `It runs on ${names.join(', ')}.`,
  });
}

/** The logs that a node has of an attempt, ranks first; none where it has not begun there. */
export async function logsOn({ node, id }: Member): Promise<LogName[]> {
  const folder = await node.attemptPath(id, 'logs');
  const { exitCode, stdout } = await node.runner.run(['ls', '-1', '--', folder]);
  if (exitCode !== 0) return [];
  const ranks = [...stdout.matchAll(/^rank-(\d{1,6})\.log$/gm)].map(([, number]) => Number(number));
  return [...ranks.sort((a, b) => a - b), ...(/^ray\.log$/m.test(stdout) ? ['ray' as const] : [])];
}

export function nameOf(log: LogName): string {
  return typeof log === 'number' ? `r${log}` : log;
}

/**
 * The byte at which the last lines of a log begin. Counted within the bytes that were there when it was asked, so that
 * what is written meanwhile moves nothing.
 */
export async function tailStart({ node, id, log }: LogSource, lines: number): Promise<number> {
  const path = await node.attemptPath(id, `logs/${typeof log === 'number' ? `rank-${log}` : log}.log`);
  const script = 's=$(wc -c < "$1") && t=$(head -c "$s" -- "$1" | tail -n "$2" | wc -c) && echo $((s - t))';
  const { exitCode, stdout } = await node.runner.run(['sh', '-c', script, 'sh', path, String(lines)]);
  const start = Number(stdout.trim());
  return exitCode === 0 && stdout.trim() !== '' && Number.isSafeInteger(start) && start >= 0 ? start : 0;
}
