import { estimateTrainingCompute } from '../estimate/compute.ts';
import { type ModelShape, valueShape } from '../estimate/model-shape.ts';
import { ADAM } from '../estimate/optimizers.ts';
import { trainingRemedies } from '../estimate/remedies.ts';
import type { TrainingJob } from '../estimate/training-job.ts';
import { estimateTrainingMemory } from '../estimate/training-memory.ts';
import { judge, trainingNeeds } from '../estimate/verdict.ts';
import type { RuleContext } from '../rules/rule.ts';
import type { SwiftStage } from '../study/stage-schemas.ts';
import { worldSize } from '../study/target-schema.ts';
import { type DataSize, dataSize } from './data-size.ts';
import { finite } from './finite.ts';
import { allKnown, type Count, type JobCost, type Known, known, unknown } from './job-cost.ts';
import { swiftDisk } from './swift-disk.ts';
import { recomputes, swiftTrainingJob } from './swift-job.ts';
import { swiftMethod } from './swift-method.ts';
import { swiftOptimizer } from './swift-optimizer.ts';
import { cutRows, longestRow, meanTokens, pairRows, swiftSteps, tokensOf } from './swift-rows.ts';
import { swiftSharding } from './swift-sharding.ts';
import { swiftTuning } from './swift-tuning.ts';

type Context = RuleContext<SwiftStage>;

/** What one job of ms-swift costs. */
export function swiftCost(
  ruled: Context,
  model: ModelShape | undefined,
  env: Record<string, string>,
): JobCost {
  const { stage, context } = ruled;
  const size = dataSize(context.study, stage.data ?? []);
  const steps = swiftSteps(ruled, size);
  if (model === undefined) {
    const why = 'the shape of the model is not known: give `models.NAME.shape`';
    return { steps, memory: unknown(why), disk: unknown(why), compute: unknown(why) };
  }
  const method = swiftMethod(ruled);
  const shape = method.known && method.value.valueHead ? valueShape(model) : model;
  const spread = swiftSharding(ruled);
  const tuning = swiftTuning(ruled, shape);
  const optimizer = spread.known ? swiftOptimizer(ruled, spread.value) : spread;
  const longest = longestRow(ruled);
  const parts = allKnown({ spread, tuning, optimizer, method, longest });
  const memory = parts.known ? memoryOf(ruled, swiftTrainingJob(ruled, shape, parts.value, env)) : parts;
  // What is saved does not depend on what a method computes, or on how long its rows are.
  const saved = allKnown({
    ...{ spread, tuning, steps },
    optimizer: stage.resumable ? optimizer : known(ADAM),
  });
  const plain = { sequences: 1, reference: false, forward: 0, valueHead: false } as const;
  const disk = saved.known
    ? known(
        swiftDisk(
          ruled,
          swiftTrainingJob(ruled, shape, { ...saved.value, method: plain, longest: 1 }, env),
          saved.value.steps,
        ),
      )
    : saved;
  const compute = computeOf(ruled, shape, size, steps);
  return { steps, memory: finite(memory), disk: finite(disk), compute: finite(compute) };
}

function memoryOf({ context }: Context, job: TrainingJob): JobCost['memory'] {
  const { gpu, memoryGbPerNode } = context.machine;
  if (gpu === null) return unknown('the target has no GPU');
  const machine = { cardGb: gpu.memoryGb, hostMemory: memoryGbPerNode * 1e9 };
  const judgement = judge(trainingNeeds(estimateTrainingMemory(job), machine));
  return known({ judgement, remedies: judgement.verdict === 'fits' ? [] : trainingRemedies(job, machine) });
}

function computeOf(
  ruled: Context,
  shape: ModelShape,
  size: DataSize,
  steps: Known<Count>,
): JobCost['compute'] {
  const { gpu } = ruled.context.machine;
  if (gpu === null) return unknown('the target has no GPU');
  const card = gpu.kind;
  if (card === null) return unknown('the kind of GPU is not known: give `target.gpus.kind`');
  const row = meanTokens(ruled, size);
  const parts = allKnown({ method: swiftMethod(ruled), tuning: swiftTuning(ruled, shape), row, steps });
  if (!parts.known) return parts;
  const { method, tuning } = parts.value;
  const { mean, cut } = parts.value.row;
  const rows = tokensOf(ruled, size, mean, parts.value.steps);
  if (!rows.known) return rows;
  const compute = estimateTrainingCompute({
    ...{ shape, meanLength: mean, recompute: recomputes(ruled), card },
    ...{ tuning, forward: method.forward, tokens: method.sequences * rows.value },
    gpus: worldSize(ruled.context.machine),
  });
  const assumptions = [
    ...compute.assumptions,
    ...(cut ? [cutRows(mean)] : []),
    ...(method.sequences === 2 ? [pairRows] : []),
  ];
  return known({ ...compute, assumptions });
}
