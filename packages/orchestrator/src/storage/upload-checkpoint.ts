import type { FileHash } from '@her/ledger';
import type { z } from 'zod';
import { HerError } from '../errors.ts';
import { converse, uploadSays } from './conversation.ts';
import { isCode } from './errors.ts';
import { FileUpload } from './file-upload.ts';
import { manifestText, type Owner } from './manifest.ts';
import type { StorageNode } from './node.ts';
import { partSizeOf } from './part-size.ts';
import { type CheckpointPlace, checkpointPlace } from './places.ts';
import { removeData } from './remove-data.ts';
import { retries } from './retries.ts';
import type { SavedCheckpoint } from './saved.ts';
import type { Store } from './store.ts';

export type UploadProgress = { sent: number; hashed: number; bytes: number };

export type UploadOptions = {
  store: Store;
  node: StorageNode;
  owner: Owner;
  checkpoint: SavedCheckpoint;
  files: readonly FileHash[];
  signal: AbortSignal;
  progress?: (progress: UploadProgress) => void;
  /** Requests that a node makes at a time. */
  parallel?: number;
  /** First pause before a request is made again, in milliseconds. */
  firstPause?: number;
};

export type StoredCheckpoint = {
  url: string;
  bytes: number;
  /** SHA-256 of the manifest. */
  manifest: string;
  /** Bytes that the node sent now: less than `bytes` where an earlier run had sent some. */
  sent: number;
};

type Word<T extends string> = Extract<z.infer<typeof uploadSays>, { type: T }>;

/**
 * Brings a whole checkpoint from its node to a store. Safe to repeat: what is there already is found by its hashes
 * and not sent again; the manifest comes last, so that there is no time at which a checkpoint looks whole and is not.
 * @throws {HerError} `STORE_*`, `CHECKPOINT_GONE`, `CHECKPOINT_DIFFERS`, `AGENT_UNREACHABLE`, `AGENT_FAILED`
 */
export async function uploadCheckpoint(options: UploadOptions): Promise<StoredCheckpoint> {
  const { store, owner, checkpoint, files, signal } = options;
  const place = checkpointPlace(store.spec.to, owner, checkpoint);
  const manifest = manifestText(owner, checkpoint, files);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const stored = { url: place.url, bytes, manifest: manifest.sha256 };
  if (await isThere(store, place, manifest.text)) return { ...stored, sent: 0 };
  const uploads = await openFiles(options, place);
  const missing = uploads.filter((file) => !file.whole);
  const sent = missing.length === 0 ? 0 : await sendOrDiscard(options, missing, place);
  signal.throwIfAborted();
  if (!(await store.create(place.manifest, manifest.text)) && !(await isThere(store, place, manifest.text)))
    throw new HerError('STORE_UNREACHABLE', `${place.url} was written and removed by another`);
  return { ...stored, sent };
}

/** Whether this very checkpoint is whole there; another's manifest in its place is an error. */
async function isThere(store: Store, place: CheckpointPlace, text: string): Promise<boolean> {
  const found = await store.read(place.manifest);
  if (found === null) return false;
  if (found.toString('utf8') === text) return true;
  throw new HerError('STORE_TAKEN', `${place.url} holds a checkpoint of another record`);
}

/** What is there of each file, by the store's word. */
async function openFiles({ store, files }: UploadOptions, place: CheckpointPlace): Promise<FileUpload[]> {
  const present = new Map((await store.list(place.data)).map(({ key, size }) => [key, size]));
  const open = new Map<string, string[]>();
  for (const { key, id } of await store.uploads(place.data)) open.set(key, [...(open.get(key) ?? []), id]);
  const made: FileUpload[] = [];
  for (const file of files) {
    const key = `${place.data}${file.path}`;
    const upload = new FileUpload(store, key, file, open.get(key) ?? []);
    if (present.get(key) === file.size) await upload.lookForWhole();
    made.push(upload);
  }
  return made;
}

/** What was sent of a checkpoint that is no more is of no use to anybody. */
async function sendOrDiscard(
  options: UploadOptions,
  uploads: readonly FileUpload[],
  place: CheckpointPlace,
): Promise<number> {
  try {
    return await sendFiles(options, uploads);
  } catch (error) {
    if (isCode(error, 'CHECKPOINT_GONE') || isCode(error, 'CHECKPOINT_DIFFERS'))
      await removeData(options.store, place.data);
    throw error;
  }
}

async function sendFiles(options: UploadOptions, uploads: readonly FileUpload[]): Promise<number> {
  const { node, checkpoint, parallel = 4, progress } = options;
  const again = retries({ ...(options.firstPause === undefined ? {} : { first: options.firstPause }) });
  const of = (index: number): FileUpload => {
    const found = uploads[index];
    if (found === undefined)
      throw new HerError('AGENT_FAILED', `the agent on ${node.name} named no file of ours`);
    return found;
  };
  const request = {
    attempt: checkpoint.attempt,
    path: checkpoint.path,
    parallel,
    files: uploads.map(({ file }) => ({ ...file, part: partSizeOf(file.size) })),
  };
  const bytes = options.files.reduce((sum, { size }) => sum + size, 0);
  const there = bytes - uploads.reduce((sum, { file }) => sum + file.size, 0);
  try {
    const done = await converse({
      node,
      verb: 'upload',
      request,
      says: uploadSays,
      signal: options.signal,
      hear: async (said, answer, signal) => {
        switch (said.type) {
          case 'piece':
            return answer({ file: said.file, part: said.part, ...(await of(said.file).answerTo(said)) });
          case 'sent':
            return of(said.file).sent(said.part);
          case 'failed': {
            const { file, part } = said;
            await again.after(`${file} ${part}`, said, of(file).file.path, signal);
            if (!signal.aborted) answer({ file, part, ...(await of(file).again(part)) });
            return;
          }
          case 'hashed':
            return of(said.file).hashed();
          case 'progress':
            progress?.({ sent: said.sent, hashed: there + said.hashed, bytes });
        }
      },
    });
    const left = uploads.find((upload) => !upload.whole);
    if (left !== undefined)
      throw new HerError('AGENT_FAILED', `the agent was done with ${left.file.path}, and it is not there`);
    return (done as Word<'done'>).sent;
  } catch (error) {
    throw meaning(error, checkpoint);
  }
}

/** The agent's own word for a checkpoint that is not what was saved. */
function meaning(error: unknown, { attempt, path }: SavedCheckpoint): unknown {
  if (!(error instanceof HerError) || error.code !== 'AGENT_FAILED') return error;
  const shown = `${path} of ${attempt}`;
  if (error.agentCode === 'checkpoint-gone' || error.agentCode === 'no-such-attempt')
    return new HerError('CHECKPOINT_GONE', `${shown} is no longer on its node: ${error.message}`, {
      cause: error,
    });
  if (error.agentCode === 'checkpoint-differs')
    return new HerError('CHECKPOINT_DIFFERS', `${shown}: ${error.message}`, { cause: error });
  return error;
}
