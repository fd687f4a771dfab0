import { loadStudy } from '../load/load.ts';
import { planStudy } from '../plan/plan.ts';
import type { Study } from '../study/schema.ts';
import { edited, hashes } from '../testing.ts';
import type { JobCost, Known } from './job-cost.ts';
import { planCosts } from './plan-cost.ts';

export type Edit = [from: string, to: string];

const target = 'target: { kind: local, device: cpu, cores: 2, memory_gb: 12 }';
const start = 'start: { output: prepare.model, type: qwen3, template: qwen3_nothinking }';
const qwen3 = 'type: qwen3, template: qwen3_nothinking';

/** The fixture's study on eight H100, from Qwen3-8B, with data whose size is said. */
const onGpus: Edit[] = [
  [
    target,
    'target: { kind: slurm, nodes: 1, gpus: { per_node: 8, kind: H100-80 }, cores: 96, memory_gb: 2000 }',
  ],
  [start, `start: { path: /models/Qwen3-8B, ${qwen3} }\n  judge: { path: /models/Qwen3-14B, ${qwen3} }`],
  ['sft: { output: prepare.sft }', 'sft: { path: /data/sft.jsonl, rows: 10000, mean_tokens: 1000 }'],
  ['rl: { output: prepare.rl }', 'rl: { path: /data/rl.parquet, rows: 6400, mean_tokens: 200 }'],
  ['per_device: 16 }\n    max_length: 512', 'per_device: 2 }\n    max_length: 4096'],
  ['      optim: adamw_torch\n      gradient_checkpointing: false', '      optim: adamw_torch'],
  // Each stage for itself: what one leaves must not matter to the other.
  ['algorithm: grpo\n    model: sft', 'algorithm: grpo\n    model: start'],
  ['models: [start, sft, rl]', 'models: [start]'],
  ['micro_per_device: 16 }', 'micro_per_device: 2 }'],
];

/** A study's options of its SFT stage; YAML. */
export const sftOption = (line: string): Edit => ['optim: adamw_torch', `optim: adamw_torch\n      ${line}`];
/** The same of its RL stage. */
export const rlOption = (line: string): Edit => [
  'actor_rollout_ref.actor.optim.lr: 3.0e-4',
  `actor_rollout_ref.actor.optim.lr: 3.0e-4\n      ${line}`,
];
/** Words of the SFT stage, before its options. */
export const sftWord = (line: string): Edit => ['    save_every: 40', `    save_every: 40\n    ${line}`];
/** Words of the RL stage, before its options. */
export const rlWord = (line: string): Edit => ['    save_every: 10', `    save_every: 10\n    ${line}`];
/** Preference tuning in place of the SFT stage, which has the name still. */
export const method = (name: string): Edit => ['    kind: sft\n', `    kind: rlhf\n    method: ${name}\n`];

/** What a stage of the study costs after edits. */
export function costOf(stage: 'sft' | 'rl', ...edits: Edit[]): JobCost {
  return costWithout(stage, () => undefined, ...edits);
}

/** The same after a change that a rule would refuse: what is predicted must not depend on who looked before. */
export function costWithout(stage: 'sft' | 'rl', change: (study: Study) => void, ...edits: Edit[]): JobCost {
  const text = edits.reduce(
    (before, [from, to]) => {
      if (before.split(from).length !== 2) throw new Error(`not there exactly once: ${from}`);
      return before.replace(from, () => to);
    },
    edited(...onGpus),
  );
  const loaded = loadStudy(text, 'study.yaml', { exists: () => true });
  const plan = planStudy(loaded, hashes);
  for (const arm of loaded.arms) change(arm.study);
  const cost = planCosts(loaded, plan).get(`main/${stage}`);
  if (cost === undefined) throw new Error(`${stage} costs nothing`);
  return cost;
}

/** A figure that must be known. */
export function figureOf<T>(figure: Known<T>): T {
  if (!figure.known) throw new Error(figure.why);
  return figure.value;
}

/** Why a figure is not known. */
export const whyOf = (figure: Known<unknown>): string => (figure.known ? 'known' : figure.why);

/** Bytes on the fullest GPU by term, at its fullest moment. */
export function gpuTerms(cost: JobCost): Record<string, number> {
  const [gpu] = figureOf(cost.memory).judgement.needs;
  return Object.fromEntries(gpu.terms.map(({ name, bytes }) => [name, bytes]));
}

/** Bytes of the need at a place: `gpu`, `host`, an engine. */
export function needed(cost: JobCost, where: string): number {
  return figureOf(cost.memory).judgement.needs.find((need) => need.where === where)?.needed ?? 0;
}

/** Bytes of a checkpoint by term. */
export function diskTerms(cost: JobCost): Record<string, number> {
  const { terms } = figureOf(cost.disk).checkpoint;
  return Object.fromEntries(terms.map(({ name, bytes }) => [name, bytes]));
}
