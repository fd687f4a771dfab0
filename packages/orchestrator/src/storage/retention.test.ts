import type { EntryBody } from '@her/ledger';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asEntry } from '../reconcile/testing.ts';
import { type CheckpointHistory, emptyHistory, foldCheckpoint } from './history.ts';
import { isStored, leastKept, retention, unstored } from './retention.ts';
import { keyOf, newestFirst } from './saved.ts';

const jobs = ['a'.repeat(16), 'b'.repeat(16)];

type What = 'saved' | 'stored' | 'removed' | 'lost' | 'set-aside' | 'artifact' | 'inside' | 'resume';
type Happened = { what: What; job: number; attempt: number; step: number };

const happened: fc.Arbitrary<Happened> = fc.record({
  what: fc.constantFrom<What[]>(
    ...(['saved', 'stored', 'removed', 'lost', 'set-aside', 'artifact', 'inside', 'resume'] as const),
  ),
  job: fc.integer({ min: 0, max: 1 }),
  attempt: fc.integer({ min: 1, max: 2 }),
  step: fc.integer({ min: 1, max: 6 }),
});

function historyOf(events: readonly Happened[]): CheckpointHistory {
  const history = emptyHistory();
  for (const [i, event] of events.entries()) foldCheckpoint(history, asEntry(bodyOf(event), i));
  return history;
}

function bodyOf({ what, job: at, attempt: number, step }: Happened): EntryBody {
  const job = jobs[at] ?? '';
  const attempt = `${job}-${number}`;
  const path = `out/checkpoint-${step}`;
  const digest = `${at}${number}${step}`.padEnd(64, '0');
  const head = { study: 'test', job, attempt };
  const checkpoint = { ...head, step, path, digest };
  const url = `s3://bucket/test/${attempt}/checkpoint-${step}`;
  const from = { node: 'n', seq: 1 };
  switch (what) {
    case 'saved':
      return { kind: 'checkpoint.saved', ...checkpoint, ...from, files: [] };
    case 'stored':
      return { kind: 'checkpoint.stored', ...checkpoint, node: 'n', url, bytes: 1, manifest: digest };
    case 'removed':
      return { kind: 'checkpoint.removed', ...checkpoint, from: 'store', url, why: 'a test' };
    case 'lost':
      return { kind: 'checkpoint.removed', ...checkpoint, from: 'node', url: null, why: 'a test' };
    case 'set-aside':
      return { kind: 'checkpoint.set-aside', ...checkpoint, why: [] };
    case 'artifact':
      return { kind: 'artifact', ...head, ...from, name: 'model', path, digest, files: [] };
    case 'inside': {
      const inner = { path: `${path}/actor/huggingface`, digest: 'f'.repeat(64) };
      return { kind: 'artifact', ...head, ...from, name: 'model', ...inner, files: [] };
    }
    case 'resume': {
      const resumeFrom = { attempt, step, path, digest };
      const action = { action: 'resume', token: 't', why: 'test', resumeFrom } as const;
      return { kind: 'decision', study: 'test', job, attempt: `${job}-9`, ...action };
    }
  }
}

const histories = fc.array(happened, { maxLength: 60 });

describe('retention', () => {
  test('the two newest whole checkpoints of a job are never removed, whatever is asked for', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: -1, max: 5 }), (events, keep) => {
        const verdicts = retention(historyOf(events), keep);
        for (const job of jobs) {
          const whole = verdicts.filter(({ checkpoint }) => checkpoint.job === job && !checkpoint.setAside);
          const newest = whole
            .toSorted((a, b) => newestFirst(a.checkpoint, b.checkpoint))
            .slice(0, leastKept);
          expect(newest.every(({ stays }) => stays)).toBe(true);
          expect(whole.filter(({ stays }) => stays).length).toBeGreaterThanOrEqual(
            Math.min(whole.length, leastKept),
          );
        }
      }),
    );
  });

  test('what a result or an attempt refers to is never removed', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const referred = new Set(
          events
            .filter(({ what }) => what === 'artifact' || what === 'inside' || what === 'resume')
            .map(({ job, attempt, step }) => `${jobs[job]}-${attempt} out/checkpoint-${step}`),
        );
        const over = retention(historyOf(events), 2).filter(({ stays }) => !stays);
        expect(over.filter(({ checkpoint }) => referred.has(keyOf(checkpoint)))).toEqual([]);
      }),
    );
  });

  test('removing what may go leaves nothing to remove, and stores nothing again', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 2, max: 4 }), (events, keep) => {
        const history = historyOf(events);
        const over = retention(history, keep).filter(({ stays }) => !stays);
        for (const { checkpoint } of over) checkpoint.removed.store = true;
        expect(retention(history, keep).filter(({ stays }) => !stays)).toEqual([]);
        const again = new Set(unstored(history, keep).map(keyOf));
        expect(over.filter(({ checkpoint }) => again.has(keyOf(checkpoint)))).toEqual([]);
      }),
    );
  });

  test('storing all that is offered ends, and what is stored then stays', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 2, max: 4 }), (events, keep) => {
        const history = historyOf(events);
        const offered = unstored(history, keep);
        for (const one of offered) {
          expect(isStored(one) || one.removed.node || one.setAside).toBe(false);
          one.stored = { url: 's3://bucket/x', bytes: 1, manifest: '0'.repeat(64) };
        }
        expect(unstored(history, keep)).toEqual([]);
        const stays = new Set(
          retention(history, keep).flatMap(({ checkpoint, stays: is }) => (is ? [keyOf(checkpoint)] : [])),
        );
        expect(offered.filter((one) => !stays.has(keyOf(one)))).toEqual([]);
      }),
    );
  });

  test('only the newest are offered where the store is behind the trainer', () => {
    const events = [1, 2, 3, 4, 5].map((step): Happened => ({ what: 'saved', job: 0, attempt: 1, step }));
    expect(unstored(historyOf(events), 2).map(({ step }) => step)).toEqual([5, 4]);
    const lost = historyOf([...events, { what: 'lost', job: 0, attempt: 1, step: 5 }]);
    expect(unstored(lost, 2).map(({ step }) => step)).toEqual([4, 3]);
    const set = historyOf([...events, { what: 'set-aside', job: 0, attempt: 1, step: 5 }]);
    expect(unstored(set, 2).map(({ step }) => step)).toEqual([4, 3]);
  });
});
