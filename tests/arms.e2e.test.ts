import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { checkout, entriesOf, freshHome, her } from './support/her.ts';
import { trainersUnder } from './support/processes.ts';

/** Two arms that differ in one setting, run by the real trainer: what they share runs once, the rest side by side. */
const minutes = 60_000;
let home = '';

afterAll(() => {
  expect(trainersUnder(home)).toEqual([]);
});

test(
  'two arms share their start, see the same rows, and are shown apart',
  async () => {
    home = await freshHome();
    const tiny = parse(await readFile(join(checkout, 'studies', 'tiny.yaml'), 'utf8'));
    const { prepare, sft, evaluate } = tiny.stages;
    const study = {
      ...tiny,
      name: 'arms',
      seeds: [11],
      arms: {
        slow: { about: 'the lower rate' },
        fast: { change: { sft: { options: { learning_rate: 8.0e-3 } } } },
      },
      stages: {
        prepare,
        sft: { ...sft, epochs: undefined, steps: 6, save_every: 3 },
        evaluate: { ...evaluate, models: ['start', 'sft'], samples: 16, batch: 16 },
      },
      measure: undefined,
    };
    const file = join(home, 'arms.yaml');
    await writeFile(file, stringify(study));
    const run = await her(home, ['run', file]);
    expect(run.exitCode, String(run.stderr)).toBe(0);
    expect(run.stdout).toContain('5 of 5 jobs done');
    const scores = String(run.stdout)
      .split('\n')
      .filter((line) => /^sft +(slow|fast) +11 /.test(line))
      .map((line) => line.split(/ +/));
    expect(scores.map(([, arm]) => arm).sort()).toEqual(['fast', 'slow']);
    expect(scores[0]?.[3]).not.toBe(scores[1]?.[3]);
    const firstLoss = async (job: string): Promise<unknown> => {
      const metrics = await entriesOf(home, '--study', 'arms', '--job', job, '--kind', 'metric');
      return metrics
        .map(({ values }) => (values as { loss?: number }).loss)
        .find((loss) => loss !== undefined);
    };
    // The same rows through the same weights: the arms part with the first step of the optimizer, not before it.
    expect(await firstLoss('sft/slow/11')).toBe(await firstLoss('sft/fast/11'));
    const status = await her(home, ['status', '--study', 'arms']);
    expect(status.stdout).toContain('slow seed 11');
    expect(status.stdout).toContain('fast seed 11');
    expect((await her(home, ['audit', 'seeds', '--study', 'arms'])).exitCode).toBe(0);
  },
  4 * minutes,
);
