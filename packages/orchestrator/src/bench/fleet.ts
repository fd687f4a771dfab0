import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job, JobId, Plan } from '@her/configs';
import { chain } from '../reconcile/testing.ts';

export type FleetSize = {
  hosts: readonly string[];
  agents: number;
  rate: number;
  /** Folder on every host that all is written below. */
  root: string;
  /** Seconds after which a trainer ends by itself, should nobody tell it to. */
  most: number;
};

/** The trainers end once this is there. */
export function endOf(root: string): string {
  return `${root}/end`;
}

/** A plan of one job an agent, none of which waits for another; the trainer is a program that logs and does no more. */
export async function fleetPlan({ agents, rate, root, most }: FleetSize): Promise<Plan> {
  const base = chain();
  const template = base.jobs[1];
  if (template === undefined) throw new TypeError('no job to copy');
  const program = await readFile(join(import.meta.dirname, 'metric_writer.py'), 'utf8');
  const jobs = Array.from(
    { length: agents },
    (_, i): Job => ({
      ...template,
      id: i.toString(16).padStart(16, '0') as JobId,
      name: `sft/${i}`,
      stage: 'sft',
      seed: i,
      needs: [],
      files: { 'metric_writer.py': program },
      argv: ['python3', 'metric_writer.py', String(rate), endOf(root), String(most)],
      metrics: [{ format: 'swift', path: 'out/logging.jsonl' }],
      checkpoints: null,
      resume: null,
      resources: { cores: 1, memoryGb: 1, nodes: 1, gpus: 0 },
    }),
  );
  return { ...base, study: 'bench', target: 'bench', jobs };
}

/** How many agents each host has room for. */
export function eachOf({ hosts, agents }: Pick<FleetSize, 'hosts' | 'agents'>): number {
  return Math.ceil(agents / hosts.length);
}
