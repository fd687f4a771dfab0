import { countAdapterParameters } from '../estimate/adapter-size.ts';
import { checkpointSize, peakDisk } from '../estimate/checkpoint-size.ts';
import { estimateTrainingCompute } from '../estimate/compute.ts';
import { countParameters, type ModelShape } from '../estimate/model-shape.ts';
import { trainingRemedies } from '../estimate/remedies.ts';
import { countMegatronSteps, countPacks, countSteps } from '../estimate/steps.ts';
import type { TrainingJob } from '../estimate/training-job.ts';
import { estimateTrainingMemory } from '../estimate/training-memory.ts';
import { judge, trainingNeeds } from '../estimate/verdict.ts';
import type { RuleContext } from '../rules/rule.ts';
import { isMegatron, swiftCommand } from '../stages/swift/command.ts';
import { dataParallel } from '../stages/swift/study-words.ts';
import type { SwiftStage } from '../study/stage-schemas.ts';
import { worldSize } from '../study/target-schema.ts';
import { type DataSize, dataSize } from './data-size.ts';
import { type Count, type DiskCost, type JobCost, type Known, known, unknown } from './job-cost.ts';
import { swiftTrainingJob } from './swift-job.ts';

type Context = RuleContext<SwiftStage>;

/** What one job of ms-swift costs. */
export function swiftCost(
  ruled: Context,
  shape: ModelShape | undefined,
  env: Record<string, string>,
): JobCost {
  const { stage, context } = ruled;
  const size = dataSize(context.study, stage.data ?? []);
  const steps = stepsOf(ruled, size);
  if (shape === undefined) {
    const why = 'the shape of the model is not known: give `models.NAME.shape`';
    return { steps, memory: unknown(why), disk: unknown(why), compute: unknown(why) };
  }
  const job = swiftTrainingJob(ruled, shape, env);
  return {
    steps,
    memory: memoryOf(ruled, job),
    disk: steps.known ? known(diskOf(ruled, job, steps.value)) : unknown(steps.why),
    compute: computeOf(ruled, job, size, steps),
  };
}

function memoryOf({ context }: Context, job: TrainingJob): JobCost['memory'] {
  const { gpu, memoryGbPerNode } = context.machine;
  if (gpu === null) return unknown('the target has no GPU');
  const machine = { cardGb: gpu.memoryGb, hostMemory: memoryGbPerNode * 1e9 };
  const judgement = judge(trainingNeeds(estimateTrainingMemory(job), machine));
  return known({ judgement, remedies: judgement.verdict === 'fits' ? [] : trainingRemedies(job, machine) });
}

function stepsOf(ruled: Context, { rows, meanTokens }: DataSize): Known<Count> {
  const { stage, get } = ruled;
  if (stage.steps !== undefined) return known({ low: stage.steps, high: stage.steps });
  if (rows === null) return unknown('the rows of the data are not known: give `data.NAME.rows`');
  const lost = typeof stage.overlong === 'object' ? stage.overlong.delete : 0;
  if (get('packing') !== true)
    return known({ low: stepsFor(ruled, rows - lost), high: stepsFor(ruled, rows) });
  if (meanTokens === null) return unknown('packs depend on `data.NAME.mean_tokens`');
  const packs = countPacks(rows, meanTokens, Number(get('packing_length') ?? stage.max_length));
  return known({ low: stepsFor(ruled, packs.low), high: stepsFor(ruled, packs.high) });
}

function stepsFor({ stage, context }: Context, rows: number): number {
  const replicas = dataParallel(stage, context.machine);
  const epochs = stage.epochs ?? 1;
  const { per_device: perDevice, global } = stage.batch;
  if (isMegatron(swiftCommand(stage)))
    return countMegatronSteps({
      rows,
      epochs,
      microBatch: perDevice,
      dataParallel: replicas,
      globalBatch: global,
    });
  return countSteps({
    ...{ rows, epochs, perDeviceBatch: perDevice, dataParallel: replicas },
    accumulation: global / (perDevice * replicas),
    sequenceParallel: stage.parallel.sequence,
  }).total;
}

function diskOf({ stage, get }: Context, job: TrainingJob, steps: Count): DiskCost {
  const { total } = countParameters(job.shape);
  const precision = job.precision === 'fp32' ? ('fp32' as const) : ('bf16' as const);
  const checkpoint = checkpointSize(
    total,
    job.sharding.kind === 'megatron'
      ? { trainer: 'megatron', optimizer: stage.resumable, safetensors: get('save_safetensors') !== false }
      : job.tuning.kind === 'lora'
        ? {
            ...{ trainer: 'ms-swift', content: 'lora', optimizer: stage.resumable },
            adapters: countAdapterParameters(job.shape, job.tuning),
          }
        : stage.resumable
          ? {
              trainer: 'ms-swift',
              content: 'full',
              deepspeed: job.sharding.kind.startsWith('zero'),
              precision,
            }
          : { trainer: 'ms-swift', content: 'weights', precision },
  );
  const saves = {
    low: Math.ceil(steps.low / stage.save_every),
    high: Math.ceil(steps.high / stage.save_every),
  };
  return { checkpoint, saves, keep: stage.keep, peak: peakDisk(checkpoint, saves.high, stage.keep) };
}

function computeOf(
  { stage, context, get }: Context,
  job: TrainingJob,
  { rows, meanTokens }: DataSize,
  steps: Known<Count>,
): JobCost['compute'] {
  const { gpu } = context.machine;
  if (gpu === null) return unknown('the target has no GPU');
  const card = gpu.kind;
  if (card === null) return unknown('the kind of GPU is not known: give `target.gpus.kind`');
  if (meanTokens === null) return unknown('tokens depend on `data.NAME.rows` and `mean_tokens`');
  const packed = get('packing') === true;
  const tokens =
    stage.epochs !== undefined && rows !== null
      ? stage.epochs * rows * meanTokens
      : steps.known
        ? steps.value.high * stage.batch.global * (packed ? stage.max_length : meanTokens)
        : 0;
  const recompute = job.checkpointing;
  return known(
    estimateTrainingCompute({
      ...{ shape: job.shape, tokens, meanLength: meanTokens, recompute, card },
      gpus: worldSize(context.machine),
    }),
  );
}
