import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planCosts } from './cost/plan-cost.ts';
import { loadStudy } from './load/load.ts';
import { planStudy } from './plan/plan.ts';
import { openQuestions } from './study/questions.ts';
import { hashes } from './testing.ts';

const text = readFileSync(join(import.meta.dirname, '../../../studies/her.yaml'), 'utf8');
const targets = ['nodes-2', 'nodes-4', 'nodes-8'];

function planned(target: string) {
  const loaded = loadStudy(text, 'her.yaml', { exists: () => false, target });
  const plan = planStudy(loaded, { ...hashes, path: () => null });
  return { loaded, plan, costs: planCosts(loaded, plan) };
}

describe.each(targets)('studies/her.yaml on %s', (target) => {
  const { loaded, plan, costs } = planned(target);

  it('has the six trainings of the paper, three seeds each, and shares what two arms have in common', () => {
    const stages = [
      'roleplay_sft/full',
      'rm_sft/full',
      'rm_rl/full',
      'roleplay_rl/full',
      'roleplay_sft/no-system-thinking',
      'roleplay_rl/dapo',
    ];
    expect(plan.jobs.map(({ name }) => name).sort()).toEqual(
      stages.flatMap((stage) => [42, 43, 44].map((seed) => `${stage}/${seed}`)).sort(),
    );
    const named = (name: string) => plan.jobs.find((job) => job.name === name);
    expect(named('roleplay_rl/dapo/43')?.needs).toEqual([
      named('roleplay_sft/full/43')?.id,
      named('rm_rl/full/43')?.id,
    ]);
  });

  it('gives the ablation every setting and seed of the full SFT, but its data', () => {
    const full = plan.jobs.find(({ name }) => name === 'roleplay_sft/full/42');
    const ablation = plan.jobs.find(({ name }) => name === 'roleplay_sft/no-system-thinking/42');
    expect(ablation?.files).toEqual(full?.files);
    expect(ablation?.env).toEqual(full?.env);
    expect(ablation?.seeds).toEqual(full?.seeds);
    expect(ablation?.inputs).not.toEqual(full?.inputs);
    expect(ablation?.id).not.toBe(full?.id);
  });

  it('says of every setting where it comes from, and why', () => {
    const silent = plan.jobs.flatMap(({ name, settings }) =>
      Object.entries(settings).flatMap(([setting, { key, evidence }]) =>
        evidence === undefined && !seedLike(key) ? [`${name}: ${setting}`] : [],
      ),
    );
    expect(silent).toEqual([]);
  });

  it('is predicted to fit, every stage of it', () => {
    expect(costs.size).toBe(6);
    for (const [stage, { memory, steps, disk, compute }] of costs) {
      const verdict = memory.known ? memory.value.judgement.verdict : memory.why;
      expect(verdict, stage).toBe('fits');
      expect([steps.known, disk.known, compute.known], stage).toEqual([true, true, true]);
    }
  });

  it('keeps the batch of the paper whatever the number of nodes', () => {
    const settings = plan.jobs.find(({ name }) => name === 'roleplay_sft/full/42')?.settings ?? {};
    const value = (name: string): number => Number(settings[name]?.value ?? 1);
    const ranks = Number(target.replace('nodes-', '')) * 8;
    const rows = value('per_device_train_batch_size') * value('gradient_accumulation_steps') * ranks;
    expect(rows / value('sequence_parallel_size')).toBe(32);
  });

  it('asks for the base model, and says that the default deviates', () => {
    expect(openQuestions(loaded.questions).map(([name]) => name)).toContain('base_model');
    expect(loaded.source.provenance.get('models.base.path')?.deviatesFromPaper).toBe(true);
  });
});

/** Values that are made from the root seeds or from names of the study itself. */
function seedLike(key: string | undefined): boolean {
  return key === 'name' || key === 'attempt';
}

describe('the base model of studies/her.yaml', () => {
  it('is marked as a deviation in the settings of each stage that starts from it', () => {
    const { plan } = planned('nodes-4');
    const of = (name: string, setting: string) =>
      plan.jobs.find((job) => job.name === name)?.settings[setting];
    for (const name of ['roleplay_sft/full/42', 'rm_sft/full/42'])
      expect(of(name, 'model')).toMatchObject({ origin: 'card', deviatesFromPaper: true });
    expect(of('roleplay_rl/full/42', 'actor_rollout_ref.model.path')).toMatchObject({ origin: 'paper' });
    expect(of('roleplay_sft/full/42', 'template')).toMatchObject({ origin: 'framework-default' });
  });
});
