import type { Job } from '@her/configs';

/** What one node has for jobs that run there. */
export type NodeCapacity = { node: string; cores: number; memoryGb: number; gpus: number };

/** What a target has, node by node, in its order. */
export type Capacity = readonly NodeCapacity[];

/** The room that is left on each node. */
export class Room {
  readonly #free: NodeCapacity[];

  constructor(capacity: Capacity) {
    this.#free = capacity.map((node) => ({ ...node }));
  }

  take(job: Job, nodes: readonly string[]): void {
    const { cores, memoryGb, gpus } = job.resources;
    for (const node of this.#free.filter((each) => nodes.includes(each.node))) {
      node.cores -= cores;
      node.memoryGb -= memoryGb;
      node.gpus -= gpus;
    }
  }

  /** Nodes with room for a job, or undefined: those it prefers first, then the emptiest, then by the target's order. */
  placeFor(job: Job, preferred: ReadonlySet<string>): string[] | undefined {
    const { cores, memoryGb, gpus, nodes } = job.resources;
    const fitting = this.#free.filter(
      (node) => node.cores >= cores && node.memoryGb >= memoryGb && node.gpus >= gpus,
    );
    if (fitting.length < nodes) return undefined;
    const order = (node: NodeCapacity): number => this.#free.indexOf(node);
    const rank = (node: NodeCapacity): number => (preferred.has(node.node) ? 0 : 1);
    return fitting
      .toSorted((a, b) => rank(a) - rank(b) || b.cores - a.cores || order(a) - order(b))
      .slice(0, nodes)
      .toSorted((a, b) => order(a) - order(b))
      .map(({ node }) => node);
  }
}
