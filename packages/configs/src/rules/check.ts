import type { StudyProblem } from '../errors.ts';
import { stageContext } from '../stages/contexts.ts';
import { verlSettings } from '../stages/rl/render.ts';
import type { StageContext } from '../stages/stage-context.ts';
import { swiftSettings } from '../stages/swift/render.ts';
import type { Told } from '../study/origins.ts';
import type { Study } from '../study/schema.ts';
import type { StudySource } from '../study/source.ts';
import type { Stage, StageOf, SwiftStage } from '../study/stage-schemas.ts';
import { swiftRules } from './ms-swift/rules.ts';
import { rulesOf } from './options.ts';
import { type Broken, contextOf, type Rule } from './rule.ts';
import { unsayable } from './unsayable.ts';
import { verlRules } from './verl.ts';

type Trained = SwiftStage | StageOf<'rl'>;

/** Every rule between options that a stage breaks. `skip`: stages with mistakes of their own. */
export function ruleProblems(
  study: Study,
  told: Told,
  source: StudySource,
  skip: (stageName: string) => boolean,
): StudyProblem[] {
  const seed = study.seeds[0] ?? 0;
  return Object.entries(study.stages).flatMap(([stageName, stage]) => {
    if (skip(stageName)) return [];
    return brokenRules(stageContext(study, told, { stageName, stage, seed })).map(
      ({ key, message, hint }): StudyProblem => {
        const path = ['stages', stageName, ...pathOf(key)];
        const place = source.place(path, key === '' ? 'key' : 'value');
        return { code: 'STUDY_RULE', message, ...(hint === undefined ? {} : { hint }), place };
      },
    );
  });
}

type Found = Broken & { /** Where its stage says it; empty for what this program chose. */ key: string };

/** The rules that one stage breaks. */
export function brokenRules(context: StageContext): Found[] {
  const { stage } = context;
  switch (stage.kind) {
    case 'sft':
    case 'rlhf': {
      const own = { ...context, stage };
      return judge(own, swiftSettings(own).settings, swiftRules(stage));
    }
    case 'rl': {
      const own = { ...context, stage };
      return judge(own, verlSettings(own).settings, verlRules);
    }
    default:
      return [];
  }
}

function judge<S extends Trained>(
  context: StageContext<S>,
  settings: ReturnType<typeof swiftSettings>['settings'],
  rules: readonly Rule<S>[],
): Found[] {
  const table = rulesOf(context.stage as Stage)?.table;
  if (table === undefined) return [];
  const ruled = contextOf(context, settings, table);
  const unsaid = Object.values(settings).flatMap(({ value, key = '' }): Found[] => {
    const why = key === '' || key.startsWith('options.') ? undefined : unsayable(value, table.trainer);
    return why === undefined ? [] : [{ message: why, key }];
  });
  const broken = rules.flatMap((rule) =>
    rule.check(ruled).map((broken) => {
      const option = broken.option ?? rule.options.find((name) => settings[name]?.key !== undefined) ?? '';
      // A word of the stage that sets no option is named by itself.
      const key = option.startsWith('word:') ? option.slice(5) : (settings[option]?.key ?? '');
      return { ...broken, key };
    }),
  );
  return [...unsaid, ...broken];
}

/** A word of the stage by its steps; an option's name is one step, dots and all. */
function pathOf(key: string): string[] {
  if (key === '' || key === 'seeds' || key === 'attempt' || key === 'name') return [];
  return key.startsWith('options.') ? ['options', key.slice('options.'.length)] : key.split('.');
}
