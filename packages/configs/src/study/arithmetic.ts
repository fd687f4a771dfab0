import type { StudyProblem } from '../errors.ts';
import type { Doubt } from './repair.ts';
import type { Study } from './schema.ts';
import type { StudySource } from './source.ts';
import type { Stage } from './stage-schemas.ts';

/** What must hold between the numbers of one stage, on one device. */
export function arithmeticProblems(study: Study, source: StudySource, doubt: Doubt): StudyProblem[] {
  return Object.entries(study.stages).flatMap(([name, stage]): StudyProblem[] => {
    const broken = divisions(stage)
      // A number that stands in for a wrong one proves nothing.
      .filter(({ keys }) => !keys.some((key) => doubt(`stages.${name}.batch.${key}`)))
      .filter(({ whole, part }) => whole % part !== 0)
      .map(({ keys: [key], whole, part, words }): StudyProblem => {
        const message = `${words}: ${whole} is not a multiple of ${part}.`;
        return { code: 'STUDY_ARITHMETIC', message, place: source.place(['stages', name, 'batch', key]) };
      });
    return [...broken, ...needsProblems(study, name, stage, source, doubt)];
  });
}

/** What must divide without a rest; `keys` of the batch take part, the first of them is shown. */
type Division = { keys: [string, ...string[]]; whole: number; part: number; words: string };

function divisions(stage: Stage): Division[] {
  if (stage.kind === 'sft') {
    const { global, per_device } = stage.batch;
    const words = 'batch.global / batch.per_device';
    return [{ keys: ['global', 'per_device'], whole: global, part: per_device, words }];
  }
  if (stage.kind !== 'rl') return [];
  const { prompts, mini, samples, micro_per_device } = stage.batch;
  return [
    { keys: ['prompts', 'mini'], whole: prompts, part: mini, words: 'batch.prompts / batch.mini' },
    {
      keys: ['micro_per_device', 'mini', 'samples'],
      whole: mini * samples,
      part: micro_per_device,
      words: 'replies of a mini-batch / batch.micro_per_device',
    },
  ];
}

function needsProblems(
  study: Study,
  name: string,
  { needs }: Stage,
  source: StudySource,
  doubt: Doubt,
): StudyProblem[] {
  const { target } = study;
  const scarce = (['cores', 'memory_gb'] as const).filter(
    (key) => needs[key] > target[key] && !doubt(`stages.${name}.needs.${key}`) && !doubt(`target.${key}`),
  );
  if (scarce.length === 0) return [];
  return [
    {
      code: 'STUDY_ARITHMETIC',
      message: `stage \`${name}\` needs ${needs.cores} cores and ${needs.memory_gb} GB; the target has ${target.cores} and ${target.memory_gb}.`,
      hint: 'Raise `target` or lower `needs`.',
      place: source.place(['stages', name], 'key'),
    },
  ];
}
