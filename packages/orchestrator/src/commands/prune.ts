import type { StoreSpec } from '@her/configs';
import { exitCodes, HerError } from '../errors.ts';
import { openHome } from '../home.ts';
import { openStudyLedger, readRecorded } from '../session.ts';
import { type CheckpointHistory, foldCheckpoint, readHistory } from '../storage/history.ts';
import { placeOf } from '../storage/places.ts';
import { placeOfKnown, removedEntry, removeStored, sweep } from '../storage/remove-stored.ts';
import { retention, unstored, type Verdict } from '../storage/retention.ts';
import { openStore } from '../storage/store.ts';
import { disk } from '../views/plan/units.ts';
import { table } from '../views/table.ts';

export type PruneOptions = { home?: string; apply: boolean; keep?: number; json: boolean };

/** `her prune [STUDY]`: what stays in the store and what may go, from the record alone; `--apply` removes it. */
export async function prune(named: string | undefined, options: PruneOptions): Promise<number> {
  const home = openHome(options.home);
  const { name, plan, home: places } = await readRecorded(home, named);
  const spec = plan.store;
  const history = await readHistory(places.ledger);
  const keep = options.keep ?? spec?.keep ?? 2;
  const verdicts = retention(history, keep);
  const over = verdicts.filter(({ stays }) => !stays);
  let left = 0;
  if (options.apply) {
    if (spec === null) throw new HerError('STORE_REFUSED', `${name} has no \`checkpoints.to\``, noStore);
    left = await remove(name, spec, keep, history, over, () => openStudyLedger(home, name));
  }
  if (options.json) {
    process.stdout.write(`${JSON.stringify(asJson(name, keep, options.apply, left, verdicts))}\n`);
    return exitCodes.done;
  }
  const names = new Map(plan.jobs.map((job) => [job.id as string, job.name]));
  process.stdout.write(`${inWords(verdicts, names, options.apply, left, spec)}\n`);
  return exitCodes.done;
}

const noStore = { hint: 'Nothing was removed. The study file of the record names no store.' };

/** The intent is in the ledger before the removal; one that was cut short is done by the sweep of the next. */
async function remove(
  study: string,
  spec: StoreSpec,
  keep: number,
  history: CheckpointHistory,
  over: readonly Verdict[],
  openLedger: () => ReturnType<typeof openStudyLedger>,
): Promise<number> {
  const ledger = await openLedger();
  const store = openStore(spec);
  try {
    const owner = { study, ledger: ledger.origin };
    // A store that lets nobody in says so before anything is recorded.
    await store.list(`${placeOf(spec.to).key}/.her-none`);
    for (const { checkpoint, why } of over) {
      const place = placeOfKnown(spec.to, owner, checkpoint);
      if (place.bucket !== store.bucket) continue;
      const entries = await ledger.append([removedEntry(study, checkpoint, 'store', why)]);
      for (const entry of entries) foldCheckpoint(history, entry);
      await removeStored(store, owner, place);
    }
    return await sweep(store, owner, history, unstored(history, keep));
  } finally {
    store.close();
    await ledger.close();
  }
}

function inWords(
  verdicts: readonly Verdict[],
  names: ReadonlyMap<string, string>,
  applied: boolean,
  left: number,
  spec: StoreSpec | null,
): string {
  if (verdicts.length === 0)
    return spec === null ? 'the study names no store of checkpoints' : 'no checkpoint is stored';
  const rows = verdicts.map(({ checkpoint, stays, why }) => [
    names.get(checkpoint.job) ?? checkpoint.job,
    checkpoint.attempt,
    String(checkpoint.step),
    disk(checkpoint.stored?.bytes ?? 0),
    stays ? 'stays' : applied ? 'removed' : 'may go',
    why,
  ]);
  const over = verdicts.filter(({ stays }) => !stays);
  const bytes = disk(over.reduce((sum, { checkpoint }) => sum + (checkpoint.stored?.bytes ?? 0), 0));
  const swept = left > 0 ? `, and what ${left} earlier ${left === 1 ? 'one' : 'ones'} had left` : '';
  const end = applied
    ? `removed ${over.length} (${bytes})${swept}`
    : over.length === 0
      ? 'nothing may go'
      : `next    her prune --apply   removes ${over.length} (${bytes})`;
  return `${table(['job', 'attempt', 'step', 'size', 'what', 'why'], rows)}\n\n${end}`;
}

function asJson(study: string, keep: number, applied: boolean, left: number, verdicts: readonly Verdict[]) {
  const checkpoints = verdicts.map(({ checkpoint, stays, why }) => {
    const { job, attempt, step, path, digest, stored } = checkpoint;
    return { job, attempt, step, path, digest, url: stored?.url, bytes: stored?.bytes, stays, why };
  });
  return { study, keep, applied, swept: left, checkpoints };
}
