import type { Study } from '../../study/schema.ts';
import { namesOf, type SwiftStage } from '../../study/stage-schemas.ts';
import type { Settings } from '../settings-builder.ts';
import { isMegatron, swiftCommand } from './command.ts';

/** The plugin file of a job whose rows are counted. */
export const keptRowsPlugin = 'kept_rows.py';
const plugin = 'from her_workers.kept_rows import register\n\nregister()\n';

/** Rows of a stage's data, or undefined where the study does not say. */
export function rowsOf(study: Study, stage: SwiftStage): number | undefined {
  const rows = namesOf(stage.data).map((name) => {
    const entry = Object.hasOwn(study.data, name) ? study.data[name] : undefined;
    return entry?.rows ?? preparedRows(study, entry?.output);
  });
  if (rows.length === 0 || rows.some((count) => count === undefined)) return undefined;
  return rows.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

/** Rows of a split that a `prepare` stage writes. */
export function preparedRows(study: Study, output: string | undefined): number | undefined {
  const [stageName = '', split = ''] = output?.split('.') ?? [];
  const stage = Object.hasOwn(study.stages, stageName) ? study.stages[stageName] : undefined;
  return stage?.kind === 'prepare' ? (stage.rows as Record<string, number>)[split] : undefined;
}

export type KeptRows = {
  settings: Settings;
  files: Record<string, string>;
  env: Record<string, string>;
  code: string[];
};

/**
 * What makes ms-swift count the rows that it kept, where the study lets some go: a callback that stops the run before
 * its first step when too many are gone. Without it they vanish unsaid.
 */
export function keptRows(study: Study, stage: SwiftStage, settings: Settings): KeptRows {
  const rows = rowsOf(study, stage);
  const counted =
    typeof stage.overlong === 'object' && !isMegatron(swiftCommand(stage)) && rows !== undefined;
  if (!counted || typeof stage.overlong !== 'object') return { settings, files: {}, env: {}, code: [] };
  const adding = (name: string, more: string): Settings => {
    const written = settings[name]?.value;
    const before = Array.isArray(written) ? written : written === undefined ? [] : [written];
    const evidence = 'rows that are dropped are counted';
    return { [name]: { value: [...before, more], origin: 'her', evidence } };
  };
  return {
    settings: {
      ...settings,
      ...adding('external_plugins', keptRowsPlugin),
      ...adding('callbacks', 'kept_rows'),
    },
    files: { [keptRowsPlugin]: plugin },
    env: { HER_ROWS: String(rows), HER_ROWS_MAY_LOSE: String(stage.overlong.delete) },
    code: ['kept_rows'],
  };
}
