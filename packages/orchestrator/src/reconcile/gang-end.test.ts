import type { EntryBody, EntryBodyOf } from '@her/ledger';
import { expect, test } from 'vitest';
import { peerLost } from '../failures.ts';
import { gangEnding } from './gang-end.ts';
import type { AttemptState } from './state.ts';
import { stateOf } from './testing.ts';

const job = 'b'.repeat(16);
const head = { study: 'test', job, attempt: `${job}-1` };
const began: EntryBody = {
  kind: 'decision',
  ...head,
  action: 'start',
  token: 't',
  why: '',
  nodes: ['h1', 'h2'],
};
type End = Partial<EntryBodyOf<'node.ended'>> & { node: string };

function attemptWith(...ends: End[]): AttemptState {
  const bodies = ends.map(
    (end): EntryBody => ({
      kind: 'node.ended',
      ...head,
      seq: 9,
      code: 0,
      signal: null,
      reason: 'exited',
      class: null,
      cause: null,
      remedy: null,
      tailBlob: null,
      lastStep: 4,
      ...end,
    }),
  );
  const attempt = stateOf([began, ...bodies]).jobs.get(job)?.attempts[0];
  if (attempt === undefined) throw new Error('there is an attempt');
  return attempt;
}

const failed = { code: 1, class: 'unknown', policy: 'retry' as const };
const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;

test('a gang whose nodes all ended well ended well', () => {
  expect(gangEnding(attemptWith({ node: 'h2' }, { node: 'h1' }))).toMatchObject({
    kind: 'attempt.ended',
    node: 'h1',
    class: null,
  });
});

test('the node where it began is named, not the one that was ended for it', () => {
  const ending = gangEnding(
    attemptWith(
      {
        node: 'h1',
        reason: 'gang-ended',
        class: 'infrastructure',
        cause: 'x',
        by: { node: 1, rank: 0 },
        at: at(1),
      },
      { node: 'h2', ...failed, cause: 'the trainer was killed', at: at(2) },
    ),
  );
  expect(ending).toMatchObject({ node: 'h2', cause: 'on h2: the trainer was killed', policy: 'retry' });
  expect(ending).not.toHaveProperty('by');
});

test('of two causes the one that only lost a peer is the echo, though its clock says it came first', () => {
  const ending = gangEnding(
    attemptWith(
      { node: 'h1', ...failed, cause: peerLost, at: at(1) },
      { node: 'h2', ...failed, cause: 'the GPU ran out of memory', at: at(2) },
    ),
  );
  expect(ending.cause).toBe('on h2: the GPU ran out of memory');
});

test('a node that was only asked to stop after the others had ended is no cause', () => {
  const stopped = { ...failed, reason: 'stopped', class: 'stopped', policy: 'stop' } as const;
  const ending = gangEnding(
    attemptWith(
      { node: 'h1', ...stopped, cause: 'it was asked to stop', at: at(1) },
      { node: 'h2', ...failed, reason: 'gang-ended', cause: peerLost, by: { node: 0 }, at: at(2) },
    ),
  );
  expect(ending).toMatchObject({ node: 'h2', reason: 'gang-ended', policy: 'retry' });
  expect(gangEnding(attemptWith({ node: 'h1', ...stopped }, { node: 'h2', ...stopped }))).toMatchObject({
    reason: 'stopped',
    policy: 'stop',
  });
});

test('of two equal causes the first counts', () => {
  const ending = gangEnding(
    attemptWith(
      { node: 'h1', ...failed, cause: 'a', at: at(3) },
      { node: 'h2', ...failed, cause: 'b', at: at(2) },
    ),
  );
  expect(ending.cause).toBe('on h2: b');
});

test('while a node has not ended there is no ending', () => {
  expect(() => gangEnding(attemptWith({ node: 'h1' }))).toThrow('not every node');
});
