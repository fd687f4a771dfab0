import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreSpec } from '@her/configs';
import { z } from 'zod';
import { HerError } from '../errors.ts';
import { placeOf } from '../storage/places.ts';
import { openStore, type Store } from '../storage/store.ts';
import type { Along } from '../targets/target.ts';
import type { Patience } from './deliver.ts';
import { hashOn, type OnNode } from './from-node.ts';
import { askNode, type NodeSide } from './node-side.ts';
import { sizeText } from './progress.ts';

type Object = { path: string; key: string; size: number; etag: string | null };

/** How the store of inputs is reached, where that is not AWS: as the study says of its checkpoints, else as AWS's tools do. */
export type StoreWay = Partial<Pick<StoreSpec, 'endpoint' | 'region' | 'path_style'>>;

export function isInStore(path: string): boolean {
  return path.startsWith('s3://');
}

const fetched = z.object({ path: z.string().startsWith('/') });
const usual: Patience = { pause: 3000, most: 120_000 };

/**
 * Objects of a store on a node, which gets them itself by URLs that we sign: an object, or all below a prefix. They are
 * brought again when the store has others under those names.
 * @throws {HerError} `INPUT_MISSING`, `INPUT_CHANGED`, `DISK_FULL`, `STORE_REFUSED`, `STORE_UNREACHABLE`
 */
export async function fromStore(
  to: NodeSide,
  url: string,
  along: Along,
  way: StoreWay = {},
  patience: Patience = usual,
): Promise<{ found: OnNode; how: 'copied' | 'reused' }> {
  const endpoint = way.endpoint ?? process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'];
  const spec = { ...way, ...(endpoint === undefined ? {} : { endpoint }), to: url, keep: 2 };
  const store = openStore(spec);
  try {
    const { single, objects } = await objectsAt(store, url);
    const name = nameOf(url, endpoint, objects);
    const at = `${to.root}/inputs/${name}${single ? `/${objects[0]?.path}` : ''}`;
    const there = await hashOn(to, at, along.signal).catch((error: unknown) => {
      if (error instanceof HerError && error.code === 'INPUT_MISSING') return null;
      throw error;
    });
    if (there !== null) return { found: there, how: 'reused' };
    await fetchAll(to, store, name, objects, { label: `${to.name}: ${url}`, along, patience });
    return { found: await hashOn(to, at, along.signal), how: 'copied' };
  } finally {
    store.close();
  }
}

async function objectsAt(store: Store, url: string): Promise<{ single: boolean; objects: Object[] }> {
  const { key } = placeOf(url);
  const listed = (await store.list(key)).filter((object) => !object.key.endsWith('/'));
  const one = listed.find((object) => object.key === key);
  if (one !== undefined) return { single: true, objects: [{ ...one, path: key.split('/').at(-1) ?? key }] };
  const prefix = key === '' || key.endsWith('/') ? key : `${key}/`;
  const below = listed.filter((object) => object.key.startsWith(prefix));
  if (below.length === 0)
    throw new HerError('INPUT_MISSING', `${url} holds no object`, {
      hint: 'Look at bucket and prefix, and at whether these credentials may list them; then `her resume JOB` and `her run STUDY`.',
    });
  return {
    single: false,
    objects: below.map((object) => ({ ...object, path: object.key.slice(prefix.length) })),
  };
}

/** Of what lies there now: other objects are another input. */
function nameOf(url: string, endpoint: string | undefined, objects: readonly Object[]): string {
  const what = JSON.stringify([
    url,
    endpoint ?? '',
    objects.map(({ path, size, etag }) => [path, size, etag]),
  ]);
  return `s3-${createHash('sha256').update(what).digest('hex').slice(0, 32)}`;
}

async function fetchAll(
  to: NodeSide,
  store: Store,
  name: string,
  objects: readonly Object[],
  { label, along, patience }: { label: string; along: Along; patience: Patience },
): Promise<void> {
  const { say, signal } = along;
  const size = sizeText(objects.reduce((sum, object) => sum + object.size, 0));
  say(`${label}: the node fetches ${size}`);
  const begun = Date.now();
  let trouble = begun;
  for (;;) {
    signal.throwIfAborted();
    const called = Date.now();
    const files = await Promise.all(
      objects.map(async ({ path, key, size, etag }) => ({ path, size, ...(await store.signGet(key, etag)) })),
    );
    const input = JSON.stringify({ files });
    try {
      const args = ['place-fetch', '--root', to.root, '--name', name];
      await askNode(to, args, fetched, { input, timeout: null, signal });
      say(`${label}: ${size} in ${Math.ceil((Date.now() - begun) / 1000)} s`);
      return;
    } catch (error) {
      const final = finalOf(error, label);
      if (signal.aborted || final !== null) throw final ?? error;
      // What went well for so long brought something; and URLs that were signed then may have had their time.
      if (isBusy(error) || Date.now() - called > patience.most) trouble = Date.now();
      if (Date.now() - trouble > patience.most) throw gaveUp(error, label);
      await sleep(patience.pause, undefined, { signal });
    }
  }
}

/** What asking again would not mend. */
function finalOf(error: unknown, label: string): unknown {
  if (!(error instanceof HerError)) return error;
  const { agentCode = '' } = error;
  if (agentCode === 'store-404' || agentCode === 'store-412')
    return new HerError('INPUT_CHANGED', `${label} changed while it was fetched: ${error.message}`);
  const passing = error.code === 'AGENT_UNREACHABLE' || agentCode.startsWith('store-') || isBusy(error);
  return passing ? null : error;
}

function isBusy(error: unknown): boolean {
  return error instanceof HerError && error.agentCode === 'busy';
}

function gaveUp(error: unknown, label: string): unknown {
  if (!(error instanceof HerError) || error.code === 'AGENT_UNREACHABLE') return error;
  const refused = /^store-4/.test(error.agentCode ?? '');
  return new HerError(refused ? 'STORE_REFUSED' : 'STORE_UNREACHABLE', `${label}: ${error.message}`, {
    hint: 'Can the node reach the store under that name, and may these credentials read there?',
    cause: error,
  });
}
