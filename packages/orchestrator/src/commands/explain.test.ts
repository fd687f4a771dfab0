import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { installation } from '../home.ts';
import { explainOption } from './explain.ts';

const tiny = join(installation, 'studies', 'tiny.yaml');

async function said(...[option, more]: [string, object?]): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await explainOption(option, { json: false, ...more });
  const text = write.mock.calls.map(([piece]) => String(piece)).join('');
  write.mockRestore();
  return text;
}
afterEach(() => vi.restoreAllMocks());

test('an option: trainer, version, commands, type, default, and the word of the study that says it', async () => {
  const text = await said('actor_rollout_ref.rollout.n');
  expect(text).toBe(`actor_rollout_ref.rollout.n  (verl 0.9.1: fsdp, megatron)
  type      whole number
  default   1
  study     said by its word \`batch.samples\`, so not under \`options\`
`);
});

test('long lists of choices are cut, and whole in JSON', async () => {
  expect(await said('template')).toMatch(/choices {3}\w+(, \w+){11}, … \d+ more \(--json\)/);
  const { options } = JSON.parse(await said('template', { json: true })) as {
    options: { variants: { option: { choices: string[] } }[] }[];
  };
  expect(options[0]?.variants[0]?.option.choices.length).toBeGreaterThan(200);
});

test('many meanings are a line each', async () => {
  const text = await said('enable');
  expect(text).toContain('algorithm.filter_groups.enable  (verl; true or false, default false');
  expect(text).toContain('her explain NAME');
});

test('with a study: the value in each job, with its origin', async () => {
  const text = await said('learning_rate', { study: tiny });
  expect(text).toMatch(/sft\/11,23 +[\d.]+ +user +options\.learning_rate/);
  const json = JSON.parse(await said('learning_rate', { study: tiny, job: 'sft/23', json: true }));
  expect(json).toMatchObject({ study: 'tiny', options: [{ jobs: [{ jobs: ['sft/23'] }] }] });
  expect(await said('lora_rank', { study: tiny })).toContain('nobody sets it');
});

test('an unknown option is one error with the nearest names, and exit code 2', async () => {
  await expect(said('learnin_rate')).rejects.toMatchObject({
    code: 'OPTION_NOT_FOUND',
    exitCode: 2,
    hint: 'Nearest: learning_rate.',
  });
});

test('a job without a study, and a job that is not there, are errors', async () => {
  await expect(said('learning_rate', { job: 'sft/11' })).rejects.toMatchObject({ hint: 'Add --study FILE.' });
  await expect(said('learning_rate', { study: tiny, job: 'sft/99' })).rejects.toMatchObject({
    code: 'JOB_NOT_FOUND',
  });
});
