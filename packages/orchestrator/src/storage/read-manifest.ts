import { HerError } from '../errors.ts';
import { arePlain, digestOfFiles, type Manifest, manifestSchema, type Owner } from './manifest.ts';
import { storedPlace } from './places.ts';
import type { Store } from './store.ts';

/**
 * The manifest of a checkpoint that the ledger says is stored, held against the ledger's digest.
 * @throws {HerError} `CHECKPOINT_GONE`, `CHECKPOINT_DIFFERS`, `STORE_*`
 */
export async function readManifest(
  store: Store,
  owner: Owner,
  url: string,
  { digest }: { digest: string },
): Promise<{ manifest: Manifest; data: string }> {
  const place = storedPlace(owner, { url, digest });
  const text = await store.read(place.manifest);
  if (text === null) throw new HerError('CHECKPOINT_GONE', `${url} is no longer in the store`);
  const found = manifestSchema.safeParse(parsed(text));
  const files = found.data?.files ?? [];
  if (
    found.data?.digest !== digest ||
    digestOfFiles(files) !== digest ||
    !arePlain(files.map(({ path }) => path))
  )
    throw new HerError(
      'CHECKPOINT_DIFFERS',
      `the manifest of ${url} is not that of the checkpoint in the ledger`,
    );
  return { manifest: found.data, data: place.data };
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}
