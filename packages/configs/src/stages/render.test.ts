import { describe, expect, it } from 'vitest';
import { planOf, studyText } from '../testing.ts';

describe('the files of a study', () => {
  const jobs = planOf(studyText).jobs.filter(({ seed }) => seed === null || seed === 11);
  const files = jobs.flatMap(({ name, files: rendered }) =>
    Object.entries(rendered).map(([path, text]) => ({ path: `${name.replace('/', '-')}/${path}`, text })),
  );
  // A change here is a change of what every study runs, and of every job's id.
  it.each(files)('$path', async ({ path, text }) => {
    await expect(text).toMatchFileSnapshot(`__snapshots__/${path}`);
  });

  it('are run by the command of the job', () => {
    for (const { argv, files: rendered } of jobs) {
      const lines = (rendered['verl.overrides'] ?? '').split('\n').filter((line) => line !== '');
      const program = argv.slice(0, argv.length - lines.length);
      expect(argv.slice(program.length)).toEqual(lines);
      expect(rendered['launch.sh']).toContain(`exec ${program.join(' ')} `);
    }
  });
});
