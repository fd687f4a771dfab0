import type { LoraTarget } from '../estimate/training-job.ts';
import { type Known, known, unknown } from './job-cost.ts';

/** Matrices behind the names that Hugging Face's models and Megatron's give their modules. */
const MODULES: Readonly<Record<string, readonly LoraTarget[]>> = {
  q_proj: ['q'],
  k_proj: ['k'],
  v_proj: ['v'],
  o_proj: ['o'],
  gate_proj: ['gate'],
  up_proj: ['up'],
  down_proj: ['down'],
  linear_qkv: ['q', 'k', 'v'],
  linear_proj: ['o'],
  linear_fc1: ['gate', 'up'],
  linear_fc2: ['down'],
};

/** The matrices that get adapters, from a list of module names or `all-linear`. */
export function loraTargets(written: unknown): Known<'all-linear' | readonly LoraTarget[]> {
  const names = (Array.isArray(written) ? written : [written ?? 'all-linear']).map(String);
  const found = new Set<LoraTarget>();
  for (const name of names) {
    if (name === 'all-linear') continue;
    const matrices = Object.hasOwn(MODULES, name) ? MODULES[name] : undefined;
    if (matrices === undefined) return unknown(`the size of an adapter on \`${name}\` is not known`);
    for (const matrix of matrices) found.add(matrix);
  }
  return known(names.includes('all-linear') ? 'all-linear' : [...found]);
}
