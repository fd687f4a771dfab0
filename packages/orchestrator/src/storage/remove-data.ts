import type { Store } from './store.ts';

/** Removes what lies under a checkpoint's own prefix: its files, and uploads that never ended. */
export async function removeData(store: Store, prefix: string): Promise<number> {
  for (const { key, id } of await store.uploads(prefix)) await store.abort(key, id);
  const keys = (await store.list(prefix)).map(({ key }) => key);
  await store.remove(keys);
  return keys.length;
}
