import { expect, test } from 'vitest';
import { renderLines } from './render.ts';

const kit = { study: 's', out: 'kit', files: 9, replaced: false, questions: [], unpinned: [], former: [] };

test('the next step of a kit is its first job, by the script of its nodes', () => {
  const next = (nodes: number) => renderLines({ ...kit, jobs: [{ folder: 'sft-1', nodes }] }).at(-1);
  expect(next(1)).toBe('next    read kit/README.md; then kit/jobs/sft-1/run.sh');
  expect(next(2)).toBe('next    read kit/README.md; then kit/jobs/sft-1/node-0.sh');
});

test('a study without jobs is told as one, and no script of none is named', () => {
  expect(renderLines({ ...kit, jobs: [] })).toEqual([
    's: no jobs: the study has no stages, 9 files written in kit',
    '',
    'next    read kit/README.md',
  ]);
});
