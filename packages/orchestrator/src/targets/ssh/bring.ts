import { z } from 'zod';
import { HerError } from '../../errors.ts';
import { askNode, type NodeSide } from '../../place/node-side.ts';
import type { Along, Brought, Held } from '../target.ts';

/** What a job reads, where it must be readable, and who else may have it. */
export type Bringing = {
  to: NodeSide;
  /** Whether all nodes see one root. */
  shared: boolean;
  sideOf: (node: string) => Promise<NodeSide>;
};

const hashed = z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/) });

/**
 * Makes something readable on a node. What lies on storage that the node sees is read there; a path that the study
 * does not pin is hashed there.
 */
export async function bringTo({ to, shared, sideOf }: Bringing, held: Held, along: Along): Promise<Brought> {
  if (held.kind === 'output') {
    const from = await sideOf(held.node);
    const path = `${from.root}/attempts/${held.attempt}/${held.path}`;
    if (shared || from.name === to.name) return { path, digest: held.digest, how: 'planned' };
    throw new HerError('TARGET_UNSUPPORTED', 'storage of their own');
  }
  const args = ['place-hash', '--root', to.root, '--path', held.path];
  const { digest } = await askNode(to, args, hashed, { timeout: null, signal: along.signal });
  if (held.digest !== null && held.digest !== digest)
    throw new HerError(
      'INPUT_CHANGED',
      `${to.name}: ${held.path} has the hash ${digest}, not ${held.digest}`,
    );
  return { path: held.path, digest, how: 'there' };
}
