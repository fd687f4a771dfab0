import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntryBody } from '@her/ledger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashTree } from '../packages/orchestrator/src/hash-tree.ts';
import { restoreCheckpoint } from '../packages/orchestrator/src/storage/restore-checkpoint.ts';
import { bedlessReason } from './support/bed.ts';
import { entriesOf, her } from './support/her.ts';
import { finish, openStoreBed, openUploaderOf, type StoreBed, specOf } from './support/store-study.ts';

const lacking = bedlessReason('The retention of checkpoints');

const MiB = 1024 * 1024;
const none = new AbortController().signal;
let here: StoreBed;

describe.skipIf(lacking !== null)('the retention of checkpoints', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    here = await openStoreBed();
  }, 900_000);

  afterAll(async () => {
    await here?.close();
  });

  test('pruning keeps the two newest and what is referred to; a removal that was cut short is finished', async () => {
    const study = await here.newStudy();
    for (const step of [1, 2, 3, 4, 5, 6]) await here.save(study, step, [['weights', 1000 + step]]);
    const { name, ledger, attempt } = study;
    const head = { study: name, job: attempt.slice(0, -2), attempt };
    const { uploader } = await openUploaderOf(study, { node: here.local(study), keep: 9 });
    expect(await uploader.drain(none)).toBe(0);
    await uploader.close();
    const output = { node: here.host, seq: 99, name: 'model', path: 'out/checkpoint-1', files: [] };
    const [, , , third] = (await here.storedEntries(study)).toSorted(
      (a, b) => Number(b['step']) - Number(a['step']),
    );
    await ledger.append([
      { kind: 'artifact', ...head, ...output, digest: '0'.repeat(64) },
      // As a run left it that was killed between the record of a removal and the removal.
      ...(third === undefined ? [] : [removalOf(third)]),
    ]);
    await ledger.close();
    const shown = JSON.parse(String((await her(here.home, ['prune', name, '--json'])).stdout));
    const going = shown.checkpoints.filter(({ stays }: { stays: boolean }) => !stays);
    expect(going.map(({ step }: { step: number }) => step).sort()).toEqual([2, 4]);
    expect(await here.keysOf(study)).toHaveLength(12);
    const applied = await her(here.home, ['prune', name, '--apply']);
    expect(String(applied.stdout)).toMatch(/removed 2 \(\S+ k?B\), and what 1 earlier one had left\n?$/);
    const steps = (await here.keysOf(study)).map((key) => /checkpoint-(\d)/.exec(key)?.[1]);
    expect([...new Set(steps)].sort()).toEqual(['1', '5', '6']);
    const removed = await entriesOf(here.home, '--study', name, '--kind', 'checkpoint.removed');
    expect(removed.map(({ step }) => step).sort()).toEqual([2, 3, 4]);
    expect(String((await her(here.home, ['prune', name, '--apply'])).stdout)).toMatch(
      /removed 0 \(0 B\)\n?$/,
    );
  });

  test('the run itself keeps as many as the study says, and a lost one comes back to its node', async () => {
    const study = await here.newStudy();
    const { uploader } = await openUploaderOf(study, { node: here.onHost(study) });
    for (const step of [1, 2, 3]) {
      await here.save(study, step, [['weights', 20 * MiB + step]], uploader);
      await sleep(1_500);
    }
    expect(await uploader.drain(none)).toBe(0);
    await finish(study, uploader);
    expect(
      (await here.storedEntries(study))
        .map(({ step }) => step)
        .toSorted()
        .slice(-2),
    ).toEqual([2, 3]);
    const steps = (await here.keysOf(study)).map((key) => /checkpoint-(\d)/.exec(key)?.[1]);
    expect([...new Set(steps)].sort()).toEqual(['2', '3']);
    const folder = join(study.folder, 'out/checkpoint-3');
    const before = await hashTree(folder);
    await rm(folder, { recursive: true });
    const last = (await here.storedEntries(study)).find(({ step }) => step === 3) ?? {};
    await here.withStore(specOf(study.plan).to, async (store) => {
      const checkpoint = { attempt: study.attempt, path: 'out/checkpoint-3', digest: String(last['digest']) };
      const owner = { study: study.name, ledger: study.ledger.origin };
      const url = String(last['url']);
      const told = { store, owner, node: here.onHost(study), checkpoint, url, signal: none };
      expect(await restoreCheckpoint(told)).toMatchObject({ received: 20 * MiB + 3 });
    });
    expect(await hashTree(folder)).toBe(before);
  });
});

function removalOf(entry: Record<string, unknown>): EntryBody {
  const { study, job, attempt, step, path, digest, url } = entry;
  const why = 'a test';
  return {
    kind: 'checkpoint.removed',
    from: 'store',
    ...{ study, job, attempt, step, path, digest, url, why },
  } as EntryBody;
}
