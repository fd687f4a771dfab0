import { type EntryBody, filesOf } from '@her/ledger';
import type { KnownCheckpoint } from './history.ts';
import type { Owner } from './manifest.ts';
import type { StorageNode } from './node.ts';
import type { Store } from './store.ts';
import { type UploadProgress, uploadCheckpoint } from './upload-checkpoint.ts';

/** Brings one saved checkpoint to the store; the entry that says so. */
export async function storeOne(options: {
  store: Store;
  owner: Owner;
  ledgerDir: string;
  node: StorageNode;
  checkpoint: KnownCheckpoint;
  signal: AbortSignal;
  progress?: (progress: UploadProgress) => void;
}): Promise<EntryBody> {
  const { checkpoint, owner, ledgerDir, ...upload } = options;
  const files = await filesOf(ledgerDir, checkpoint);
  const { url, bytes, manifest } = await uploadCheckpoint({ ...upload, owner, checkpoint, files });
  const { job, attempt, node, step, path, digest } = checkpoint;
  const what = { study: owner.study, job, attempt, step, path, digest, node };
  return { kind: 'checkpoint.stored', ...what, url, bytes, manifest };
}
