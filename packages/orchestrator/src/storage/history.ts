import { type Entry, readEntries } from '@her/ledger';
import { keyOf, type SavedCheckpoint } from './saved.ts';

/** What the ledger says of one checkpoint. */
export type KnownCheckpoint = SavedCheckpoint & {
  stored: { url: string; bytes: number; manifest: string } | null;
  /** Where it is no longer. */
  removed: { store: boolean; node: boolean };
  setAside: boolean;
};

/** All checkpoints of a study, and what refers to them. */
export type CheckpointHistory = {
  checkpoints: Map<string, KnownCheckpoint>;
  references: { attempt: string; path: string; digest: string | null; why: string }[];
};

export function emptyHistory(): CheckpointHistory {
  return { checkpoints: new Map(), references: [] };
}

export async function readHistory(ledger: string): Promise<CheckpointHistory> {
  const history = emptyHistory();
  for await (const entry of readEntries(ledger)) foldCheckpoint(history, entry);
  return history;
}

/** Folds one entry in; those that say nothing of checkpoints change nothing. */
export function foldCheckpoint({ checkpoints, references }: CheckpointHistory, entry: Entry): void {
  switch (entry.kind) {
    case 'checkpoint.saved': {
      const { job, attempt, node, step, path, digest, files, filesBlob } = entry;
      checkpoints.set(keyOf(entry), {
        ...{ job, attempt, node, step, path, digest },
        ...(files === undefined ? {} : { files }),
        ...(filesBlob === undefined ? {} : { filesBlob }),
        stored: null,
        removed: { store: false, node: false },
        setAside: false,
      });
      return;
    }
    case 'checkpoint.stored': {
      const known = checkpoints.get(keyOf(entry));
      const { url, bytes, manifest } = entry;
      if (known !== undefined) known.stored = { url, bytes, manifest };
      return;
    }
    case 'checkpoint.removed': {
      const known = checkpoints.get(keyOf(entry));
      if (known !== undefined) known.removed[entry.from] = true;
      return;
    }
    case 'checkpoint.set-aside': {
      const known = checkpoints.get(keyOf(entry));
      if (known !== undefined) known.setAside = true;
      return;
    }
    case 'artifact': {
      const { attempt, path, digest, name } = entry;
      references.push({ attempt, path, digest, why: `it is the output ${name}` });
      return;
    }
    case 'decision': {
      const from = entry.resumeFrom;
      if (from !== undefined)
        references.push({ ...from, why: `${entry.attempt ?? 'an attempt'} went on from it` });
      return;
    }
    default:
      return;
  }
}

/** What refers to a checkpoint, or to something in it; null where nothing does. */
export function referenceTo(
  { references }: CheckpointHistory,
  { attempt, path, digest }: Pick<SavedCheckpoint, 'attempt' | 'path' | 'digest'>,
): string | null {
  const found = references.find(
    (other) =>
      other.digest === digest ||
      (other.attempt === attempt && (other.path === path || other.path.startsWith(`${path}/`))),
  );
  return found?.why ?? null;
}
