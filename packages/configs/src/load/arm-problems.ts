import type { StudyProblem } from '../errors.ts';
import type { StudyFileParts } from '../study/file-schema.ts';
import type { StudySource } from '../study/source.ts';
import { armStages, stagesOf } from './arm-stages.ts';
import type { StudyArm } from './study-arm.ts';

/** Arms that compare nothing: one that makes no job of its own, or that changes a stage which it does not run. */
export function armProblems(
  arms: readonly StudyArm[],
  parts: StudyFileParts,
  source: StudySource,
): StudyProblem[] {
  if (arms.length < 2) return [];
  const owners = new Set(armStages(arms).map(({ arm }) => arm.arm));
  return arms.flatMap((arm): StudyProblem[] => {
    const run = stagesOf(arm);
    const unused = Object.keys(parts.arms[arm.arm]?.change ?? {}).filter((stage) => !run.has(stage));
    const idle = unused.map((stage): StudyProblem => {
      const place = source.place(['arms', arm.arm, 'change', stage], 'key');
      const hint = `It runs ${[...run].join(', ')}.`;
      return { code: 'STUDY_WRONG_VALUE', message: `the arm does not run \`${stage}\`.`, hint, place };
    });
    if (idle.length > 0 || owners.has(arm.arm)) return idle;
    return [
      {
        code: 'STUDY_WRONG_VALUE',
        message: 'the arm makes no job of its own: all that it trains is the same as in an arm before it.',
        hint: 'Change something that it trains with, or leave the arm out.',
        place: source.place(['arms', arm.arm], 'key'),
      },
    ];
  });
}
