import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plan } from '@her/configs';
import { type FileHash, filesOf } from '@her/ledger';
import { exitCodes, HerError } from '../errors.ts';
import { absolute, callerDirectory, type Home, openHome, type StudyHome } from '../home.ts';
import { readRecorded } from '../session.ts';
import { openByteProgress } from '../storage/byte-progress.ts';
import { isCode, mayPass } from '../storage/errors.ts';
import { fetchFiles } from '../storage/fetch-files.ts';
import { findCheckpoint } from '../storage/find-checkpoint.ts';
import { type KnownCheckpoint, readHistory } from '../storage/history.ts';
import { digestOfFiles } from '../storage/manifest.ts';
import { nodeBytes } from '../storage/node-bytes.ts';
import { placeOf } from '../storage/places.ts';
import { readManifest } from '../storage/read-manifest.ts';
import { isStored } from '../storage/retention.ts';
import { openStore } from '../storage/store.ts';
import { openTarget } from '../targets/open-target.ts';
import { disk } from '../views/plan/units.ts';

export type FetchOptions = {
  home?: string;
  study?: string;
  out?: string;
  from?: 'store' | 'node';
  json: boolean;
};

/** Where a checkpoint's bytes come from. */
type Source = {
  from: 'store' | 'node';
  where: string;
  bytes: (path: string, from: number, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  close: () => Promise<void>;
};

/** `her fetch CHECKPOINT`: a checkpoint in a new folder here, every file as it was when it was saved. */
export async function fetchCheckpoint(wanted: string, options: FetchOptions): Promise<number> {
  const home = openHome(options.home);
  const { plan, home: places } = await readRecorded(home, options.study);
  const checkpoint = findCheckpoint(plan, await readHistory(places.ledger), wanted);
  const { attempt, step, digest } = checkpoint;
  const files = await filesOf(places.ledger, checkpoint);
  if (digestOfFiles(files) !== digest)
    throw new HerError(
      'CHECKPOINT_DIFFERS',
      `the record's own list of files of ${attempt}@${step} is not whole`,
    );
  const job = plan.jobs.find(({ id }) => id === checkpoint.job)?.name ?? checkpoint.job;
  const out = absolute(options.out ?? `${job.replaceAll('/', '-')}-checkpoint-${step}`, callerDirectory());
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const letGo = new AbortController();
  const onInterrupt = (): void => letGo.abort();
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onInterrupt);
  const shown = openByteProgress(process.stderr, bytes);
  const begun = Date.now();
  try {
    const { from, where, came } = await fromFirst(
      sourcesOf(home, places, plan, checkpoint, options.from),
      (source) => bring(source, files, out, letGo.signal, shown),
      shown.say,
    );
    shown.close();
    const seconds = (Date.now() - begun) / 1000;
    const told = { checkpoint: { job, attempt, step, digest }, out, bytes, came, from, where, seconds };
    process.stdout.write(
      options.json
        ? `${JSON.stringify({ ...told, files: files.length })}\n`
        : `${job}, checkpoint ${step} of ${attempt}: ${files.length} files, ${disk(bytes)}, each as it was saved
from    ${where}
out     ${out}
next    name that folder as the \`path\` of a model in a study, or load it with the trainer that wrote it\n`,
    );
    return exitCodes.done;
  } catch (error) {
    shown.close();
    if (!letGo.signal.aborted) throw error;
    process.stderr.write(`stopped; the same command goes on from ${out}.partial\n`);
    return exitCodes.detached;
  } finally {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
  }
}

async function bring(
  source: Source,
  files: readonly FileHash[],
  out: string,
  signal: AbortSignal,
  { at, say }: { at: (there: number) => void; say: (line: string) => void },
): Promise<number> {
  try {
    return await fetchFiles({ files, out, bytes: source.bytes, signal, progress: at, say });
  } finally {
    await source.close();
  }
}

/** The first source that has it. What cannot be reached, or is gone, is said where another one may have it. */
async function fromFirst(
  sources: readonly (() => Promise<Source>)[],
  take: (source: Source) => Promise<number>,
  say: (line: string) => void,
): Promise<{ from: Source['from']; where: string; came: number }> {
  for (const [index, open] of sources.entries()) {
    try {
      const source = await open();
      return { from: source.from, where: source.where, came: await take(source) };
    } catch (error) {
      const passing = mayPass(error) || isCode(error, 'STORE_REFUSED') || isCode(error, 'CHECKPOINT_GONE');
      if (!passing || index === sources.length - 1) throw error;
      say(`${(error as Error).message}; it is taken from its node`);
    }
  }
  throw new HerError('CHECKPOINT_GONE', 'by the record it is neither in a store nor on its node any more');
}

function sourcesOf(
  home: Home,
  places: StudyHome,
  plan: Plan,
  checkpoint: KnownCheckpoint,
  only: Source['from'] | undefined,
): (() => Promise<Source>)[] {
  const { stored, removed, attempt, path, node: name } = checkpoint;
  const sources: { from: Source['from']; open: () => Promise<Source> }[] = [];
  const spec = plan.store;
  if (isStored(checkpoint) && stored !== null && spec !== null)
    sources.push({
      from: 'store',
      open: async () => {
        const store = openStore({ ...spec, to: `s3://${placeOf(stored.url).bucket}` });
        const owner = {
          study: plan.study,
          ledger: (await readFile(join(places.ledger, 'origin'), 'utf8')).trim(),
        };
        const { data } = await readManifest(store, owner, stored.url, checkpoint).catch((error: unknown) => {
          store.close();
          throw error;
        });
        return {
          from: 'store',
          where: stored.url,
          bytes: (file, from, signal) => store.bytes(`${data}${file}`, from, signal),
          close: async () => store.close(),
        };
      },
    });
  if (!removed.node)
    sources.push({
      from: 'node',
      open: async () => {
        const target = openTarget(home, places, plan);
        const node = target.node(name);
        return {
          from: 'node',
          where: `${name}, ${path}`,
          bytes: (file, from, signal) => nodeBytes(node, attempt, `${path}/${file}`, from, signal),
          close: () => target.close(),
        };
      },
    });
  return sources.filter(({ from }) => only === undefined || from === only).map(({ open }) => open);
}
