import type { StoreSpec } from '@her/configs';
import type { Entry, EntryBody } from '@her/ledger';
import { HerError } from '../errors.ts';
import { backoff } from './backoff.ts';
import { isCode, mayPass } from './errors.ts';
import { foldCheckpoint, type KnownCheckpoint, readHistory } from './history.ts';
import type { StorageNode } from './node.ts';
import { placeOf } from './places.ts';
import { placeOfKnown, removedEntry, removeStored, sweep } from './remove-stored.ts';
import { restoreCheckpoint } from './restore-checkpoint.ts';
import { isStored, retention, unstored } from './retention.ts';
import { keyOf } from './saved.ts';
import { openStore, type Store } from './store.ts';
import { storeOne } from './store-one.ts';

/** Stores checkpoints beside the training, which it never disturbs: what goes wrong is said, and tried again. */
export type Uploader = {
  /** Told of every entry once it is in the ledger: a `checkpoint.saved` is an offer. */
  recorded(entry: Entry): void;
  /**
   * Brings a checkpoint that its node has lost back to it; false where it is not stored.
   * @throws {HerError} `STORE_*`, `CHECKPOINT_*`, `AGENT_*`
   */
  restore(point: { attempt: string; path: string }, node: string, signal: AbortSignal): Promise<boolean>;
  /** Waits until nothing is left that can be stored now; says how many are. Aborting lets go at once. */
  drain(signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
};

export type UploaderOptions = {
  spec: StoreSpec;
  study: string;
  ledger: { dir: string; origin: string };
  /** Writes to the ledger, and tells `recorded` of it. */
  record: (bodies: readonly EntryBody[]) => Promise<unknown>;
  node: (name: string) => StorageNode;
  say: (line: string) => void;
  store?: Store;
  /** Milliseconds before a checkpoint is tried again, at first. */
  firstPause?: number;
};

/** Uploads at a time, each from another node. */
const sideBySide = 4;
/** Tries of one checkpoint once nobody trains any more and a person waits. */
const lastTries = 4;

/** What was saved in an earlier run and is not stored yet is offered again by opening. */
export async function openUploader(options: UploaderOptions): Promise<Uploader> {
  const { spec, study, ledger, record, say, firstPause = 1_000 } = options;
  const store = options.store ?? openStore(spec);
  const owner = { study, ledger: ledger.origin };
  const history = await readHistory(ledger.dir);
  const closing = new AbortController();
  const running = new Map<string, { checkpoint: KnownCheckpoint; done: Promise<void> }>();
  /** What is not tried now: until a time, or for the rest of this run. */
  const later = new Map<string, { tries: number; at: number }>();
  let draining = false;
  let tidied = Promise.resolve();
  let said = '';
  let changed = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;

  const sayOnce = (line: string): void => {
    if (line !== said) say(line);
    said = line;
  };
  const open = (): KnownCheckpoint[] =>
    unstored(history, spec.keep).filter((one) => (later.get(keyOf(one))?.at ?? 0) < Number.POSITIVE_INFINITY);

  const pump = (): void => {
    clearTimeout(timer);
    if (closing.signal.aborted) return;
    for (const one of open()) {
      if (running.size >= sideBySide) break;
      if (running.has(one.node) || (later.get(keyOf(one))?.at ?? 0) > Date.now()) continue;
      const done = attempt(one).finally(() => {
        running.delete(one.node);
        pump();
        changed.resolve();
        changed = Promise.withResolvers<void>();
      });
      running.set(one.node, { checkpoint: one, done });
    }
    const waits = open().map((one) => later.get(keyOf(one))?.at ?? Number.POSITIVE_INFINITY);
    const next = Math.min(...waits);
    if (Number.isFinite(next)) timer = setTimeout(pump, Math.max(10, next - Date.now())).unref();
  };

  const attempt = async (checkpoint: KnownCheckpoint): Promise<void> => {
    const key = keyOf(checkpoint);
    const shown = `checkpoint ${checkpoint.step} of ${checkpoint.attempt}`;
    try {
      const node = options.node(checkpoint.node);
      const signal = closing.signal;
      const entry = await storeOne({ store, owner, ledgerDir: ledger.dir, node, checkpoint, signal });
      await record([entry]);
      said = '';
      if (entry.kind === 'checkpoint.stored') say(`${shown} is stored: ${entry.url}`);
      tidied = tidied.then(() => retain(checkpoint.job));
      await tidied;
    } catch (error) {
      if (closing.signal.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      if (isCode(error, 'CHECKPOINT_GONE') || isCode(error, 'CHECKPOINT_DIFFERS')) {
        later.set(key, { tries: 0, at: Number.POSITIVE_INFINITY });
        say(`${shown} can no longer be stored: ${why}`);
        await recordLoss(checkpoint, why);
        return;
      }
      const tries = (later.get(key)?.tries ?? 0) + 1;
      const again = mayPass(error) && !(draining && tries >= lastTries);
      const wait = backoff(tries, { first: firstPause, most: 60_000 });
      later.set(key, { tries, at: again ? Date.now() + wait : Number.POSITIVE_INFINITY });
      const hint = error instanceof HerError ? error.hint : '';
      sayOnce(`checkpoints are not stored: ${why}${again ? '; it is tried again' : `. ${hint}`}`);
    }
  };

  const recordLoss = async (checkpoint: KnownCheckpoint, why: string): Promise<void> => {
    try {
      await record([removedEntry(study, checkpoint, 'node', why.slice(0, 10_000))]);
    } catch (error) {
      sayOnce(`the loss of a checkpoint was not recorded: ${String(error)}`);
    }
  };

  /** The intent is recorded before anything is removed: a crash in between is made good by the next sweep. */
  const retain = async (job: string): Promise<void> => {
    try {
      await removeOld(job);
    } catch (error) {
      if (!closing.signal.aborted)
        sayOnce(
          `old checkpoints were not removed: ${error instanceof Error ? error.message : String(error)}`,
        );
    }
  };

  const removeOld = async (job: string): Promise<void> => {
    const over = retention(history, spec.keep).filter(
      ({ checkpoint, stays }) => !stays && checkpoint.job === job,
    );
    for (const { checkpoint, why } of over) {
      const place = placeOfKnown(spec.to, owner, checkpoint);
      if (place.bucket !== store.bucket) continue;
      await record([removedEntry(study, checkpoint, 'store', why)]);
      await removeStored(store, owner, place);
    }
  };

  pump();
  return {
    recorded: (entry) => {
      foldCheckpoint(history, entry);
      if (entry.kind !== 'checkpoint.saved') return;
      // Somebody may have mended what was refused before.
      for (const [key, { at }] of later) if (at === Number.POSITIVE_INFINITY) later.delete(key);
      pump();
    },
    restore: async (point, node, signal) => {
      const known = history.checkpoints.get(keyOf(point));
      if (known === undefined || known.stored === null || !isStored(known)) return false;
      const { url } = known.stored;
      say(`checkpoint ${known.step} of ${known.attempt} is not whole on ${node}: it comes back from ${url}`);
      const { bucket } = placeOf(url);
      // The study may name another bucket by now.
      const there = bucket === store.bucket ? store : openStore({ ...spec, to: `s3://${bucket}` });
      const either = AbortSignal.any([closing.signal, signal]);
      const told = { owner, node: options.node(node), checkpoint: known, url, signal: either };
      try {
        await restoreCheckpoint({ store: there, ...told });
      } finally {
        if (there !== store) there.close();
      }
      return true;
    },
    drain: async (signal) => {
      draining = true;
      const stop = (): void => {
        closing.abort();
        changed.resolve();
      };
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      for (const [key, { at }] of later) if (Number.isFinite(at)) later.delete(key);
      pump();
      const keepAlive = setInterval(() => undefined, 1_000);
      try {
        while (!closing.signal.aborted && (running.size > 0 || open().length > 0)) await changed.promise;
        if (!closing.signal.aborted) await sweep(store, owner, history, unstored(history, spec.keep));
      } catch (error) {
        sayOnce(`the store was not tidied: ${error instanceof Error ? error.message : String(error)}`);
      } finally {
        clearInterval(keepAlive);
        signal.removeEventListener('abort', stop);
      }
      const left = unstored(history, spec.keep).length;
      if (left > 0)
        say(
          `${left} ${left === 1 ? 'checkpoint is' : 'checkpoints are'} not stored yet; \`her run\` goes on`,
        );
      return left;
    },
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      await Promise.all([...running.values()].map(({ done }) => done));
      if (options.store === undefined) store.close();
    },
  };
}
