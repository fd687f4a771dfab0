import type { Assumption } from '../estimate/compute.ts';
import { countMegatronSteps, countPacks, countSteps } from '../estimate/steps.ts';
import type { RuleContext } from '../rules/rule.ts';
import { isMegatron, swiftCommand } from '../stages/swift/command.ts';
import { dataParallel } from '../stages/swift/study-words.ts';
import type { SwiftStage } from '../study/stage-schemas.ts';
import type { DataSize } from './data-size.ts';
import { countable } from './finite.ts';
import { type Count, type Known, known, unknown } from './job-cost.ts';
import { samples } from './swift-method.ts';

type Context = RuleContext<SwiftStage>;

/** Tokens of the longest row that a forward pass sees: of a pack where rows are packed. */
export function longestRow({ stage, get }: Context): Known<number> {
  if (get('packing') !== true) return known(stage.max_length);
  const pack = packLength({ stage, get });
  // A row that is longer than a pack makes one of its own.
  return pack.known ? known(Math.max(pack.value, stage.max_length)) : pack;
}

/** 0 is none to ms-swift. */
function packLength({ stage, get }: Pick<Context, 'stage' | 'get'>): Known<number> {
  const written = Number(get('packing_length') ?? 0);
  if (!Number.isSafeInteger(written) || written < 0)
    return unknown(`\`packing_length: ${written}\` is not a number of tokens`);
  return known(written === 0 ? stage.max_length : written);
}

/** Mean tokens of a row as it is trained on; `cut`: rows over max_length are not what they were. */
export function meanTokens(
  { stage }: Context,
  { meanTokens: said }: DataSize,
): Known<{ mean: number; cut: boolean }> {
  if (said === null) return unknown('tokens depend on `data.NAME.rows` and `mean_tokens`');
  if (said <= stage.max_length) return known({ mean: said, cut: false });
  if (stage.overlong === 'error')
    return unknown(
      `\`mean_tokens\` ${said} is above max_length ${stage.max_length}, and \`overlong: error\` stops at such a row`,
    );
  return known({ mean: stage.max_length, cut: true });
}

/** What is said of rows that were taken shorter than the study says. */
export const cutRows = (length: number): Assumption => ({
  name: 'mean tokens of a row',
  ...{ low: length, high: length },
  why: 'assumed: what is over max_length is cut or dropped',
});

/** What a pair is taken to be. */
export const pairRows: Assumption = {
  name: 'sequences of a row',
  ...{ low: 2, high: 2 },
  why: 'assumed: mean_tokens is of one of them, chosen or rejected, with its prompt',
};

/** Optimizer steps of a job. */
export function swiftSteps(ruled: Context, size: DataSize): Known<Count> {
  return countable(uncheckedSteps(ruled, size));
}

function uncheckedSteps(ruled: Context, size: DataSize): Known<Count> {
  const { stage, get } = ruled;
  const { rows } = size;
  if (stage.steps !== undefined) return known({ low: stage.steps, high: stage.steps });
  if (samples(stage)) return unknown('the steps of a method that samples replies: give `steps`');
  if (rows === null) return unknown('the rows of the data are not known: give `data.NAME.rows`');
  const kept = rows - Math.min(rows, typeof stage.overlong === 'object' ? stage.overlong.delete : 0);
  if (get('packing') !== true) return known({ low: stepsFor(ruled, kept), high: stepsFor(ruled, rows) });
  if (size.meanTokens === null) return unknown('packs depend on `data.NAME.mean_tokens`');
  const tokens = meanTokens(ruled, size);
  if (!tokens.known) return tokens;
  const length = packLength(ruled);
  if (!length.known) return length;
  const packs = (of: number): Count => countPacks(of, tokens.value.mean, length.value);
  return known({ low: stepsFor(ruled, packs(kept).low), high: stepsFor(ruled, packs(rows).high) });
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

/** Tokens of a job's sequences, over all epochs. */
export function tokensOf(ruled: Context, { rows }: DataSize, mean: number, steps: Count): Known<number> {
  const { stage, get } = ruled;
  if (stage.epochs !== undefined && rows !== null) return known(stage.epochs * rows * mean);
  if (get('packing') !== true) return known(steps.high * stage.batch.global * mean);
  const length = packLength(ruled);
  return length.known ? known(steps.high * stage.batch.global * length.value) : length;
}
