import type { OptionValue } from '../../study/settings.ts';
import type { Taken } from './take.ts';

/**
 * When ms-swift evaluates: by default when it saves, if there are rows to evaluate on. Written where this program
 * would do otherwise.
 */
export function takeEvaluation(taken: Taken, validates: boolean): Record<string, OptionValue> {
  const line = taken.lineOf('split_dataset_ratio');
  const ratio = Number(taken.peek('split_dataset_ratio') ?? 0);
  const splits = ratio > 0 && !validates && taken.peek('streaming') !== true;
  const held = validates || splits || taken.has('cached_val_dataset') || taken.has('eval_dataset');
  const asked = taken.take('eval_strategy') ?? taken.peek('save_strategy') ?? 'steps';
  const strategy = held ? asked : 'no';
  if (ratio > 0 && (strategy === 'no' || !splits)) {
    const why = strategy === 'no' ? '`eval_strategy: no`' : 'validation rows of its own, or a stream,';
    taken.take('split_dataset_ratio');
    taken.note(line, 'split_dataset_ratio', 'her-sets', `with ${why} ms-swift splits nothing off either.`);
  }
  return strategy === (validates ? 'steps' : 'no') ? {} : { eval_strategy: strategy };
}

/** What a launch leaves to ms-swift and this program does otherwise. */
export function noteSilent(taken: Taken, line: number): void {
  const silent: Record<string, string> = {
    report_to: "metrics are read from logging.jsonl; ms-swift's default is tensorboard beside it.",
    logging_steps: "every step is in the ledger; ms-swift's default is every fifth.",
  };
  for (const [name, message] of Object.entries(silent))
    if (!taken.has(name)) taken.note(line, name, 'her-sets', message);
  if (taken.peek('vllm_mode') === 'server') {
    const message =
      'the server of `swift rollout` is no part of a study: start it yourself before the stage.';
    taken.note(taken.lineOf('vllm_mode'), 'vllm_mode', 'not-carried', message);
  }
}
