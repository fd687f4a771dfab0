import type { EntryBody } from '@her/ledger';
import type { CheckpointHistory, KnownCheckpoint } from './history.ts';
import { manifestSchema, type Owner } from './manifest.ts';
import { type CheckpointPlace, checkpointPlace, placeOf, storedPlace } from './places.ts';
import { removeData } from './remove-data.ts';
import { isStored } from './retention.ts';
import { keyOf } from './saved.ts';
import type { Store } from './store.ts';

/** The entry that comes before a removal: from then on it is one, however often it has to be done. */
export function removedEntry(
  study: string,
  { job, attempt, step, path, digest, stored }: KnownCheckpoint,
  from: 'store' | 'node',
  why: string,
): EntryBody {
  const url = from === 'store' ? (stored?.url ?? null) : null;
  return { kind: 'checkpoint.removed', study, job, attempt, step, path, digest, from, url, why };
}

/** Removes a checkpoint from the store. The manifest goes first: without it nothing there looks whole. */
export async function removeStored(store: Store, owner: Owner, place: CheckpointPlace): Promise<void> {
  const found = await store.read(place.manifest);
  // Another ledger's checkpoint may have the same place, and is not ours to remove.
  if (found !== null && isOurs(found, owner, place)) await store.remove([place.manifest]);
  await removeData(store, place.data);
}

export function placeOfKnown(to: string, owner: Owner, known: KnownCheckpoint): CheckpointPlace {
  return known.stored === null
    ? checkpointPlace(to, owner, known)
    : storedPlace(owner, { url: known.stored.url, digest: known.digest });
}

/**
 * Removes what removals that were cut short and uploads that nobody wants any more have left.
 * @param wanted checkpoints that are to be stored, or are on the way
 */
export async function sweep(
  store: Store,
  owner: Owner,
  history: CheckpointHistory,
  wanted: readonly KnownCheckpoint[],
): Promise<number> {
  const going = new Set(wanted.map(keyOf));
  const over = [...history.checkpoints.values()].filter((one) => !isStored(one) && !going.has(keyOf(one)));
  if (over.length === 0) return 0;
  const { key } = placeOf(store.spec.to);
  const prefix = `${key === '' || key.endsWith('/') ? key : `${key}/`}${owner.study}/`;
  const keys = (await store.list(prefix)).map((object) => object.key);
  const open = (await store.uploads(prefix)).map((upload) => upload.key);
  const left = over
    .map((known) => placeOfKnown(store.spec.to, owner, known))
    .filter(({ bucket }) => bucket === store.bucket)
    .filter(({ data }) => [...keys, ...open].some((name) => name.startsWith(data)));
  for (const place of left) await removeStored(store, owner, place);
  return left.length;
}

function isOurs(text: Buffer, owner: Owner, { data }: CheckpointPlace): boolean {
  try {
    const manifest = manifestSchema.parse(JSON.parse(text.toString('utf8')));
    return manifest.ledger === owner.ledger && data.endsWith(`/${manifest.data}/`);
  } catch {
    return false;
  }
}
