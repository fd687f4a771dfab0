import type { EntryBodyOf, EntryOf } from '@her/ledger';
import { peerLost } from '../failures.ts';
import type { AttemptState } from './state.ts';

type NodeEnd = EntryOf<'node.ended'>;

/**
 * How a gang ended, once every node of it has: well when all did; else as the node where it began. A node that the
 * gang's end ended is no cause, nor is one that was only asked to stop while another one ended badly: that was the loop
 * itself, mostly. Of several causes, one that only tells of a lost peer comes last, then time decides.
 */
export function gangEnding(attempt: AttemptState): EntryBodyOf<'attempt.ended'> {
  const ends = attempt.nodes.flatMap((node) => attempt.nodeEnds.get(node) ?? []);
  const [first] = ends;
  if (first === undefined || ends.length < attempt.nodes.length)
    throw new TypeError(`not every node of ${attempt.id} has ended`);
  const bad = ends.filter((end) => end.class !== null);
  if (bad.length === 0) return asAttempt(first, attempt);
  const unasked = bad.filter((end) => end.reason !== 'stopped');
  const causes = unasked.filter((end) => end.by === undefined);
  const decisive = ([causes, unasked].find(({ length }) => length > 0) ?? bad).toSorted(
    (a, b) => echo(a) - echo(b) || timeOf(a).localeCompare(timeOf(b)),
  )[0];
  if (decisive === undefined) throw new TypeError('a bad end among bad ends');
  const ended = asAttempt(decisive, attempt);
  return { ...ended, cause: `on ${decisive.node}: ${decisive.cause}` };
}

function asAttempt(end: NodeEnd, attempt: AttemptState): EntryBodyOf<'attempt.ended'> {
  const { v: _v, i: _i, time: _time, kind: _kind, by: _by, ...rest } = end;
  return { ...rest, kind: 'attempt.ended', lastStep: attempt.lastStep ?? end.lastStep };
}

/** What a rank says that lost another: true, and not the cause. */
function echo({ cause, reason }: NodeEnd): number {
  return reason === 'gang-ended' || cause === peerLost ? 1 : 0;
}

function timeOf(end: NodeEnd): string {
  return end.at ?? end.time;
}
