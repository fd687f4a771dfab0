import { KNOWN_SHAPES } from '../estimate/known-shapes.ts';
import { countParameters } from '../estimate/model-shape.ts';
import { loadStudy } from '../load/load.ts';
import { planStudy } from '../plan/plan.ts';
import type { Study } from '../study/schema.ts';
import { edited, hashes } from '../testing.ts';
import type { JobCost, Known } from './job-cost.ts';
import { planCosts } from './plan-cost.ts';
import { type Edit, onGpus } from './testing-edits.ts';

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

/** Parameters of the fixture's model. */
export const { total: P } = countParameters(KNOWN_SHAPES['qwen3-8b']);

/** Bytes for each parameter of the model; of a share, times the GPUs that hold one. */
export const each = (bytes: number | undefined, gpus = 1): number => ((bytes ?? 0) * gpus) / P;

/** The best hours of each phase of the RL stage. */
export function phasesOf(...edits: Edit[]): Record<string, number> {
  const compute = figureOf(costOf('rl', ...edits).compute);
  if (!('phases' in compute)) throw new TypeError('the time of RL has phases');
  const phases = compute.phases as { name: string; hours: { low: number } }[];
  return Object.fromEntries(phases.map(({ name, hours }) => [name, hours.low]));
}
