import { z } from 'zod';
import { streamBytes } from '../targets/agent-verbs.ts';
import type { Digests } from './digests.ts';
import { askNode, callOf, type NodeSide } from './node-side.ts';
import type { Parcel } from './parcel.ts';
import { rangesText } from './ranges.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const hashed = z.object({
  path: z.string().startsWith('/'),
  single: z.boolean(),
  digest,
  planned: digest,
  sha256: digest.nullable(),
  bytes: z.number().int(),
});
const withFiles = hashed.extend({
  files: z.array(z.object({ path: z.string().min(1), size: z.number().int().min(0), sha256: digest })),
});

export type OnNode = Digests & { path: string; single: boolean; bytes: number };

/** Hashes something on a node. What looks there as it did when it was hashed before is not read again. */
export function hashOn(node: NodeSide, path: string, signal: AbortSignal): Promise<OnNode> {
  const args = ['place-hash', '--root', node.root, '--path', path];
  return askNode(node, args, hashed, { timeout: null, signal });
}

/** What one node has, for another: it goes through here, a piece at a time. */
export async function parcelFrom(
  node: NodeSide,
  path: string,
  label: string,
  signal: AbortSignal,
): Promise<Parcel> {
  const args = ['place-hash', '--root', node.root, '--path', path, '--files'];
  const found = await askNode(node, args, withFiles, { timeout: null, signal });
  return {
    label,
    digest: found.digest,
    single: found.single,
    files: found.files,
    open: (ranges, skip, over) =>
      streamBytes(
        callOf(node),
        ['place-send', '--path', found.path, '--only', rangesText(ranges), '--skip', String(skip)],
        over,
      ),
  };
}
