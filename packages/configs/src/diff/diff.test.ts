import { describe, expect, it } from 'vitest';
import { descriptionOf } from '../kit/testing.ts';
import { edited, studyText } from '../testing.ts';
import { diffStudies } from './diff.ts';

const withArms = (text: string): string =>
  text.replace(
    'stages:\n',
    'arms:\n  full: {}\n  short: { stages: [sft], change: { sft: { max_length: 256 } } }\nstages:\n',
  );

const diffOf = (a: string, b: string) => diffStudies(descriptionOf(a), descriptionOf(b));

describe('the difference of two studies', () => {
  it('is none where the words differ and the jobs do not', () => {
    const reworded = edited([
      '      learning_rate: 3.0e-3\n',
      '      learning_rate: { value: 0.003, origin: paper } # said otherwise\n',
    ]);
    expect(diffOf(studyText, reworded)).toEqual({
      same: true,
      onlyA: [],
      onlyB: [],
      code: false,
      groups: [],
    });
  });

  it('says a setting of many jobs once, with both values and their origins', () => {
    const faster = edited(['learning_rate: 3.0e-3', 'learning_rate: { value: 6.0e-3, origin: repo }']);
    expect(diffOf(studyText, faster)).toMatchObject({
      same: false,
      groups: [
        {
          jobs: 'sft (2 jobs)',
          names: ['sft/11', 'sft/23'],
          differences: [
            {
              aspect: 'setting',
              name: 'learning_rate',
              a: 0.003,
              b: 0.006,
              origins: { a: 'user', b: 'repo' },
            },
          ],
        },
      ],
    });
  });

  it('names jobs that are in one only, and a setting that is in one only', () => {
    const other = edited(['seeds: [11, 23]', 'seeds: [11, 5]'], ['      weight_decay: 0.0\n', '']);
    const { onlyA, onlyB, groups } = diffOf(studyText, other);
    expect(onlyA).toEqual(['sft/23', 'rl/23', 'evaluate/23']);
    expect(onlyB).toEqual(['sft/5', 'rl/5', 'evaluate/5']);
    expect(groups).toMatchObject([
      {
        jobs: 'sft/11',
        differences: [{ name: 'weight_decay', a: 0, b: null, origins: { a: 'user', b: null } }],
      },
    ]);
  });

  it('sees seeds, cores and environment of our own stages too', () => {
    const other = edited(['    seed: 11\n', '    seed: 12\n    needs: { cores: 2, memory_gb: 3 }\n']);
    const { groups } = diffOf(studyText, other);
    expect(groups).toHaveLength(1);
    const found = groups[0]?.differences.map(({ aspect, name }) => `${aspect} ${name}`);
    expect(groups[0]?.jobs).toBe('prepare');
    expect(found?.slice(0, 2)).toEqual(['nodes cores', 'nodes memory_gb']);
    expect(found).toEqual(
      expect.arrayContaining(['environment OMP_NUM_THREADS', 'setting seed', 'seed corpus']),
    );
    // Said as a seed, it is not said again as a variable.
    expect(found).toContain('seed PYTHONHASHSEED');
    expect(found).not.toContain('environment PYTHONHASHSEED');
  });

  it('compares a study without arms with the first arm of the other', () => {
    const { onlyA, onlyB, groups } = diffOf(studyText, withArms(studyText));
    expect({ onlyA, onlyB, groups }).toEqual({
      onlyA: [],
      onlyB: ['sft/short/11', 'sft/short/23'],
      groups: [],
    });
    expect(diffOf(withArms(studyText), studyText)).toMatchObject({
      onlyA: ['sft/short/11', 'sft/short/23'],
      groups: [],
    });
  });

  it('compares inputs by what they are; a hash counts where both know it', () => {
    const local = edited(['  sft: { output: prepare.sft }', '  sft: { path: rows.jsonl }']);
    expect(diffOf(studyText, local).groups[0]).toMatchObject({
      jobs: 'sft (2 jobs)',
      differences: [{ aspect: 'input', name: 'data.jsonl', a: 'prepare sft', b: 'rows.jsonl' }],
    });
    const a = descriptionOf(local);
    const pinned = (digest: string | null) => ({
      ...a,
      jobs: a.jobs.map((job) => ({
        ...job,
        inputs: job.inputs.map((input) =>
          input.from.kind === 'path' ? { ...input, from: { ...input.from, digest } } : input,
        ),
      })),
    });
    expect(diffStudies(pinned(null), pinned('a'.repeat(64))).same).toBe(true);
    expect(diffStudies(pinned('b'.repeat(64)), pinned('a'.repeat(64))).groups[0]?.differences).toMatchObject([
      { aspect: 'input', a: 'rows.jsonl (bbbbbbbbbbbb)', b: 'rows.jsonl (aaaaaaaaaaaa)' },
    ]);
  });

  it('says that a rendered file has other bytes only where no setting says why', () => {
    const a = descriptionOf(studyText);
    const b = {
      ...a,
      code: 'another',
      jobs: a.jobs.map((job) => ({ ...job, files: { ...job.files, 'launch.sh': 'x' } })),
    };
    const found = diffStudies(a, b);
    expect(found.code).toBe(true);
    expect(found.groups).toMatchObject([
      { names: a.jobs.map(({ name }) => name), differences: [{ aspect: 'file' }] },
    ]);
  });
});
