import { HerError } from '../errors.ts';
import { converse, downloadSays } from './conversation.ts';
import type { Manifest, Owner } from './manifest.ts';
import type { StorageNode } from './node.ts';
import { readManifest } from './read-manifest.ts';
import { retries } from './retries.ts';
import type { Store } from './store.ts';

/**
 * Brings a stored checkpoint back to a node, into the attempt's folder that it came from. What came before an
 * interruption is gone on from; the folder has its name once every file is whole. One that is there and torn is kept
 * beside it, as `.damaged-…`.
 * @throws {HerError} `CHECKPOINT_GONE`, `STORE_*`, `AGENT_UNREACHABLE`, `AGENT_FAILED`
 */
export async function restoreCheckpoint(options: {
  store: Store;
  owner: Owner;
  node: StorageNode;
  checkpoint: { attempt: string; path: string; digest: string };
  url: string;
  signal: AbortSignal;
}): Promise<{ bytes: number; received: number }> {
  const { store, node, checkpoint, signal } = options;
  const { manifest, data } = await readManifest(store, options.owner, options.url, checkpoint);
  const again = retries();
  const of = (index: number): Manifest['files'][number] => {
    const file = manifest.files[index];
    if (file === undefined)
      throw new HerError('AGENT_FAILED', `the agent on ${node.name} named no file of ours`);
    return file;
  };
  const get = async (index: number) => ({
    file: index,
    do: 'get',
    ...(await store.signGet(`${data}${of(index).path}`, null)),
  });
  const done = await converse({
    node,
    verb: 'download',
    request: {
      to: `attempts/${checkpoint.attempt}/${checkpoint.path}`,
      parallel: 4,
      replace: true,
      files: manifest.files,
    },
    says: downloadSays,
    signal,
    hear: async (said, answer, over) => {
      if (said.type === 'want') answer(await get(said.file));
      if (said.type === 'failed') {
        await again.after(String(said.file), said, of(said.file).path, over);
        if (!over.aborted) answer(await get(said.file));
      }
    },
  });
  const received = 'received' in done && typeof done.received === 'number' ? done.received : 0;
  return { bytes: manifest.files.reduce((sum, { size }) => sum + size, 0), received };
}
