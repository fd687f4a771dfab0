import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entriesOf, freshHome, her, until } from './support/her.ts';
import { trainersUnder } from './support/processes.ts';
import { writeSmallStudy } from './support/small-study.ts';

const minutes = 60_000;

type Entry = Record<string, unknown>;

async function weights(home: string): Promise<string | undefined> {
  const [model] = (await entriesOf(home, '--job', 'sft', '--kind', 'artifact')) as {
    files: { path: string; sha256: string }[];
  }[];
  return model?.files.find(({ path }) => path === 'model.safetensors')?.sha256;
}

/** The loss of each step, as the last attempt that reached it logged it. */
async function losses(home: string): Promise<Map<number, number>> {
  const steps = (await entriesOf(home, '--job', 'sft', '--kind', 'metric')) as {
    step: number;
    values: { loss?: number };
  }[];
  return new Map(
    steps.flatMap(({ step, values }) => (values.loss === undefined ? [] : [[step, values.loss]])),
  );
}

test(
  'an SFT killed between two checkpoints goes on from the last whole one and ends with the same bits',
  async () => {
    const calm = await freshHome();
    const killed = await freshHome();
    const study = await writeSmallStudy(calm, 'small');
    const undisturbed = her(calm, ['run', study]);
    const disturbed = her(killed, ['run', study]);

    const step = await until('a step past the first checkpoint', 240, async () => {
      const steps = (await entriesOf(killed, '--job', 'sft', '--kind', 'metric').catch(() => [])) as {
        step: number;
      }[];
      const last = steps.at(-1)?.step ?? 0;
      return last > 44 && last < 84 ? last : undefined;
    });
    for (const { pid } of trainersUnder(join(killed, 'studies'))) process.kill(pid, 'SIGKILL');

    const [one, other] = await Promise.all([undisturbed, disturbed]);
    expect([one.exitCode, other.exitCode]).toEqual([0, 0]);
    const entries = (await entriesOf(killed, '--job', 'sft')) as Entry[];
    const of = (kind: string): Entry[] => entries.filter((entry) => entry['kind'] === kind);
    expect(of('attempt.ended')).toMatchObject([
      { signal: 'SIGKILL', class: 'unknown', policy: 'retry' },
      { code: 0 },
    ]);
    expect(of('attempt.started')).toMatchObject([{ resumedFrom: null }, { resumedFrom: { step: 42 } }]);
    expect(of('checkpoint.verified')).toMatchObject([{ step: 42, whole: true }]);
    expect(of('resume.proved')).toMatchObject([{ status: 'proved' }]);
    expect(step).toBeGreaterThan(42);

    expect(await weights(killed)).toBe(await weights(calm));
    expect(await weights(calm)).toMatch(/^[0-9a-f]{64}$/);
    expect(await losses(killed)).toEqual(await losses(calm));
  },
  8 * minutes,
);
