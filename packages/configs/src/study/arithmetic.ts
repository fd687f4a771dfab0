import type { StudyProblem } from '../errors.ts';
import type { Study } from './schema.ts';
import type { StudySource } from './source.ts';

/** What must hold between the numbers of one stage, on one device. */
export function arithmeticProblems(study: Study, source: StudySource): StudyProblem[] {
  const problems: StudyProblem[] = [];
  const divides = (stage: string, key: string, whole: number, part: number, words: string): void => {
    if (whole % part === 0) return;
    const place = source.place(['stages', stage, 'batch', key]);
    problems.push({
      code: 'STUDY_ARITHMETIC',
      message: `${words}: ${whole} is not a multiple of ${part}.`,
      place,
    });
  };
  for (const [name, stage] of Object.entries(study.stages)) {
    if (stage.kind === 'sft')
      divides(name, 'global', stage.batch.global, stage.batch.per_device, 'batch.global / batch.per_device');
    if (stage.kind === 'rl') {
      divides(name, 'prompts', stage.batch.prompts, stage.batch.mini, 'batch.prompts / batch.mini');
      const replies = stage.batch.mini * stage.batch.samples;
      divides(
        name,
        'micro_per_device',
        replies,
        stage.batch.micro_per_device,
        'replies of a mini-batch / batch.micro_per_device',
      );
    }
    if (stage.needs.cores > study.target.cores || stage.needs.memory_gb > study.target.memory_gb) {
      problems.push({
        code: 'STUDY_ARITHMETIC',
        message: `stage \`${name}\` needs ${stage.needs.cores} cores and ${stage.needs.memory_gb} GB; the target has ${study.target.cores} and ${study.target.memory_gb}.`,
        hint: 'Raise `target` or lower `needs`.',
        place: source.place(['stages', name], 'key'),
      });
    }
  }
  return problems;
}
