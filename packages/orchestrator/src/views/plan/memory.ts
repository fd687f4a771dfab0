import { costKey, type Judgement, type MemoryCost } from '@her/configs';
import { groups } from './groups.ts';
import type { ShownPlan } from './shown.ts';
import { memory } from './units.ts';

/** Words of a study for the knobs of the estimator. */
const knobs: Record<string, string> = {
  gpus: 'GPUs',
  microBatch: 'batch per device',
  sequenceLength: 'tokens of a row',
  checkpointing: 'gradient checkpointing',
  fusedLoss: 'use_liger_kernel / use_fused_kernels',
  sequenceParallel: 'parallel.sequence',
  sharding: 'parallel.sharding',
  offload: 'parallel.offload',
  'between.weights': 'parallel.offload',
  'between.optimizer': 'parallel.offload',
  'rollout.utilisation': 'rollout gpu_memory_utilization',
  'rollout.tp': 'parallel.rollout_tensor',
  expandableSegments: 'PYTORCH_CUDA_ALLOC_CONF expandable_segments',
};

/** Predicted memory of each stage: what is needed where, against what there is, its terms, and what would help. */
export function memoryLines({ plan, costs }: ShownPlan): string[] {
  const lines = groups(plan.jobs).flatMap(([first]) => {
    const cost = costs.get(costKey(first));
    if (cost === undefined || !cost.memory.known) return [];
    const name = `${first.stage}${first.arm === 'main' ? '' : `/${first.arm}`}`;
    return [`  ${name}`, ...judgementLines(cost.memory.value)];
  });
  return lines.length === 0 ? [] : ['memory, predicted', ...lines];
}

function judgementLines({ judgement, remedies }: MemoryCost): string[] {
  const lines = judgement.needs.flatMap((need) => [
    `    ${whereText(need)}  ${memory(need.needed)} of ${need.capacity === undefined ? 'unknown' : memory(need.capacity)}: ${need.verdict.replaceAll('-', ' ')}`,
    `      ${need.terms.map(({ name, bytes }) => `${name} ${memory(bytes)}`).join(' + ')}`,
  ]);
  const better = remedies.slice(0, 3);
  return [
    ...lines,
    ...better.map(
      ({ knob, from, to, judgement: then, saved }) =>
        `    helps: ${knobs[knob] ?? knob} ${from} → ${to}: ${then.verdict.replaceAll('-', ' ')}, saves ${memory(saved)} of a GPU`,
    ),
  ];
}

function whereText({ where, moment }: Judgement['needs'][number]): string {
  if (where === 'gpu') return `each GPU, at its fullest (${moment})`;
  return where === 'host' ? 'each node' : where;
}
