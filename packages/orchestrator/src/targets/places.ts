import { HerError } from '../errors.ts';
import type { Node, Target } from './target.ts';

/** The node with that name. */
export function nodeNamed(nodes: readonly Node[], name: string, target: string): Node {
  const found = nodes.find((node) => node.name === name);
  if (found !== undefined) return found;
  throw new HerError('NODE_UNKNOWN', `the target ${target} has no node ${name}`, {
    hint: `It has: ${nodes.map((node) => node.name).join(', ')}.`,
  });
}

/** Starts each node of an attempt by itself, side by side; the first that fails is told once all were tried. */
export const startEach =
  (node: Target['node']): Target['startGang'] =>
  async (requests) => {
    const asked = [...requests].map(
      async ([name, request]) => [name, await node(name).start(request)] as const,
    );
    return new Map(await allOrFirst(asked));
  };

/** Waits for all, so that nothing is left under way, and then tells the first failure. */
export async function allOrFirst<T>(under: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(under);
  return await Promise.all(under);
}
