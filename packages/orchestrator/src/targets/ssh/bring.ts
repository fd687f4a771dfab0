import { HerError } from '../../errors.ts';
import { alone } from '../../place/alone.ts';
import { deliver, inStore, type Patience } from '../../place/deliver.ts';
import { agrees, type Digests } from '../../place/digests.ts';
import { hashOn, parcelFrom } from '../../place/from-node.ts';
import { fromStore, isInStore, type StoreWay } from '../../place/from-store.ts';
import { tarOfTree } from '../../place/local-stream.ts';
import { readLocalTree } from '../../place/local-tree.ts';
import type { NodeSide } from '../../place/node-side.ts';
import type { Along, Brought, Held } from '../target.ts';

/** What a job reads, where it must be readable, and who else may have it. */
export type Bringing = {
  to: NodeSide;
  /** Whether all nodes see one root. */
  shared: boolean;
  sideOf: (node: string) => Promise<NodeSide>;
  patience?: Patience;
  /** How inputs at `s3://` are reached. */
  store?: StoreWay | undefined;
};

type Output = Extract<Held, { kind: 'output' }>;
type Path = Extract<Held, { kind: 'path' }>;

/**
 * Makes something readable on a node. What lies on storage that the node sees is read there; what does not is brought
 * there once, and known there by its hash.
 * @throws {HerError} `INPUT_MISSING`, `INPUT_CHANGED`, `INPUT_UNREADABLE`, `DISK_FULL`, `AGENT_UNREACHABLE`
 */
export async function bringTo(bringing: Bringing, held: Held, along: Along): Promise<Brought> {
  if (held.kind === 'output') return await bringOutput(bringing, held, along);
  if (held.via === 'rsync') return await bringFromHere(bringing, held, along);
  if (isInStore(held.path)) return await bringFromStore(bringing, held, along);
  return await hashThere(bringing.to, held, along);
}

async function bringFromStore({ to, store }: Bringing, held: Path, along: Along): Promise<Brought> {
  return await alone(`${to.name} ${to.root} ${held.path}`, async () => {
    const { found, how } = await fromStore(to, held.path, along, store);
    refuseOther(held.digest, found, `${to.name}: ${held.path}`);
    return { path: found.path, digest: held.digest ?? found.planned, how };
  });
}

async function hashThere(to: NodeSide, { path, digest }: Path, { signal }: Along): Promise<Brought> {
  const found = await hashOn(to, path, signal);
  refuseOther(digest, found, `${to.name}: ${path}`);
  return { path: found.path, digest: digest ?? found.planned, how: 'there' };
}

async function bringFromHere(bringing: Bringing, held: Path, along: Along): Promise<Brought> {
  const { to, patience } = bringing;
  const { digest, here } = held;
  return await alone(`${to.name} ${to.root} ${digest ?? here}`, async () => {
    const there = digest === null ? null : await inStore(to, digest, along.signal);
    if (there !== null && digest !== null) return { path: there, digest, how: 'reused' };
    const tree = await readLocalTree(here, along.signal);
    refuseOther(digest, tree, here);
    const known = digest ?? tree.planned;
    const { files, single } = tree;
    const parcel = {
      label: held.path,
      digest: known,
      single,
      files,
      open: (ranges: Parameters<typeof tarOfTree>[1], skip: number) => tarOfTree(tree, ranges, skip),
    };
    return { path: await deliver(to, parcel, along, patience), digest: known, how: 'copied' };
  });
}

async function bringOutput(bringing: Bringing, held: Output, along: Along): Promise<Brought> {
  const { to, shared, sideOf, patience } = bringing;
  const below = `attempts/${held.attempt}/${held.path}`;
  const { digest } = held;
  if (shared || held.node === to.name) return { path: `${to.study}/${below}`, digest, how: 'planned' };
  return await alone(`${to.name} ${to.root} ${digest ?? below}`, async () => {
    const there = digest === null ? null : await inStore(to, digest, along.signal);
    if (there !== null && digest !== null) return { path: there, digest, how: 'reused' };
    const from = await sideOf(held.node);
    const label = `${held.path} of ${held.attempt} from ${from.name}`;
    const parcel = await parcelFrom(from, `${from.study}/${below}`, label, along.signal);
    if (digest !== null && digest !== parcel.digest)
      throw changed(`${from.name}: ${below}`, parcel.digest, digest);
    const path = await deliver(to, parcel, along, patience);
    return { path, digest: parcel.digest, how: 'copied' };
  });
}

function refuseOther(pinned: string | null, found: Digests, what: string): void {
  if (pinned !== null && !agrees(pinned, found)) throw changed(what, found.sha256 ?? found.planned, pinned);
}

function changed(what: string, found: string, wanted: string): HerError {
  return new HerError('INPUT_CHANGED', `${what} has the hash ${found}, not ${wanted}`);
}
