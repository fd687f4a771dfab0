import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { stableJson } from '../digest.ts';
import { loadStudy } from '../load/load.ts';
import { edited, hashes, planOf, studyText } from '../testing.ts';
import type { Job, JobId, Plan } from './job.ts';
import { planStudy, refuseSharedIds } from './plan.ts';

const plan = planOf(studyText);

/** The names of the jobs whose id another plan does not have. */
function changed(other: Plan): string[] {
  const ids = new Set(plan.jobs.map(({ id }) => id));
  return other.jobs.filter(({ id }) => !ids.has(id)).map(({ name }) => name);
}

describe('a plan', () => {
  it('has one job for each stage and seed, and one for a stage that runs once', () => {
    expect(plan.jobs.map(({ name }) => name)).toEqual([
      'prepare',
      'sft/11',
      'sft/23',
      'rl/11',
      'rl/23',
      'evaluate/11',
      'evaluate/23',
    ]);
    expect(plan.primary).toBe('well_formed of evaluate, up');
  });

  it('names each job by 16 hex digits, no two the same', () => {
    for (const { id } of plan.jobs) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set(plan.jobs.map(({ id }) => id)).size).toBe(plan.jobs.length);
    expect(plan.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('names the jobs of two stages that render the same by two ids, and refuses one id for two jobs', () => {
    const end = studyText.search(/\n {2}rl:\n/);
    const sft = studyText.slice(studyText.search(/\n {2}sft:\n/), end);
    const twice = studyText.slice(0, end) + sft.replace('  sft:', '  again:') + studyText.slice(end);
    const { jobs } = planOf(twice);
    const idOf = (name: string): string | undefined => jobs.find((job) => job.name === name)?.id;
    expect(idOf('again/11')).toBeDefined();
    expect(idOf('again/11')).not.toBe(idOf('sft/11'));
    const id = 'a'.repeat(16) as JobId;
    const shared = [
      { id, name: 'sft/11' },
      { id, name: 'again/11' },
    ];
    expect(() => refuseSharedIds(shared)).toThrow('sft/11 and again/11 got one id');
  });

  it('puts each job after what it needs', () => {
    const backwards = edited(
      ['  sft:\n    kind', '  last:\n    kind'],
      ['model: sft', 'model: last'],
      ['[start, sft, rl]', '[start, last, rl]'],
    );
    for (const { jobs } of [
      plan,
      planOf(backwards),
      planOf(reordered(studyText, (keys) => keys.reverse())),
    ]) {
      for (const [i, job] of jobs.entries()) {
        const before = jobs.slice(0, i).map(({ id }) => id);
        expect(before).toEqual(expect.arrayContaining(job.needs));
        const used = job.inputs.flatMap(({ from }) => (from.kind === 'output' ? [from.job] : []));
        expect([...new Set(used)].sort()).toEqual([...job.needs].sort());
      }
    }
  });

  it('wires each input to the output that the study names, of the same seed', () => {
    const wires = (name: string): string[] => {
      const names = new Map(plan.jobs.map((job) => [job.id, job]));
      const job = plan.jobs.find((candidate) => candidate.name === name);
      return (job?.inputs ?? []).map(({ name: input, from }) => {
        if (from.kind === 'path') return `${input} < ${from.path}`;
        if (from.kind === 'hub') return `${input} < ${from.id}`;
        const source = names.get(from.job);
        expect(source?.outputs.map((output) => output.name)).toContain(from.output);
        return `${input} < ${source?.name}:${from.output}`;
      });
    };
    expect(wires('prepare')).toEqual([]);
    expect(wires('sft/11')).toEqual(['model < prepare:model', 'data.jsonl < prepare:sft']);
    expect(wires('rl/23')).toEqual(['model < sft/23:model', 'prompts.parquet < prepare:rl']);
    expect(wires('evaluate/23')).toEqual([
      'models/start < prepare:model',
      'models/sft < sft/23:model',
      'models/rl < rl/23:model',
      'heldout.jsonl < prepare:heldout',
    ]);
  });

  it('takes a path of the study as an input, with the hash of what is there', () => {
    const { jobs } = planOf(edited(['{ output: prepare.sft }', '{ path: ./sft.jsonl }']));
    expect(jobs.find(({ name }) => name === 'sft/11')?.inputs[1]).toEqual({
      name: 'data.jsonl',
      from: { kind: 'path', path: './sft.jsonl', digest: 'path of ./sft.jsonl' },
    });
  });
});

describe('the same study', () => {
  it('gives the same plan, byte for byte', () => {
    expect(stableJson(planOf(studyText))).toBe(stableJson(plan));
    expect(JSON.stringify(planOf(studyText))).toBe(JSON.stringify(plan));
  });

  it('gives the same files and ids, in whatever order its keys stand and whatever comments are in it', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (numbers) => {
        const text = reordered(studyText, (keys) => shuffled(keys, numbers));
        const other = planOf(`# another order\n${text}`);
        const byName = (jobs: Job[]) => Object.fromEntries(jobs.map((job) => [job.name, job]));
        expect(JSON.stringify(other.jobs.map(({ files }) => files).sort(byText))).toBe(
          JSON.stringify(plan.jobs.map(({ files }) => files).sort(byText)),
        );
        expect(byName(other.jobs)).toEqual(byName(plan.jobs));
        expect(other.digest).toBe(plan.digest);
      }),
      { numRuns: 25 },
    );
  });

  it('gives the same files when a setting says where it comes from', () => {
    const other = planOf(
      edited(['weight_decay: 0.0', 'weight_decay: { value: 0.0, origin: paper, evidence: p. 4 }']),
    );
    expect(changed(other)).toEqual([]);
    expect(other.jobs[1]?.settings['weight_decay']).toEqual({
      value: 0,
      origin: 'paper',
      evidence: 'p. 4',
      key: 'options.weight_decay',
    });
  });
});

describe('a change', () => {
  it.each([
    ['of an option of sft', edited(['weight_decay: 0.0', 'weight_decay: 0.1']), ['sft', 'rl', 'evaluate']],
    ['of an option of rl', edited(['optim.lr: 3.0e-4', 'optim.lr: 3.0e-5']), ['rl', 'evaluate']],
    ['of evaluate', edited(['max_new_tokens: 128', 'max_new_tokens: 127']), ['evaluate']],
    ['of the corpus', edited(['vocab: 768', 'vocab: 769']), ['prepare', 'sft', 'rl', 'evaluate']],
    ["of the study's name, which verl writes", edited(['name: fixture', 'name: other']), ['rl', 'evaluate']],
    ['of what is measured', edited(['direction: up', 'direction: down']), []],
    ['of a limit', edited(['max_length: 512', 'max_length: 512\n    limits: { silence: 60 }']), []],
  ])('%s changes the jobs of that stage and of all below it, and no other', (_, text, stages) => {
    const names = stages.flatMap((stage) => (stage === 'prepare' ? [stage] : [`${stage}/11`, `${stage}/23`]));
    const other = planOf(text);
    expect(changed(other)).toEqual(names);
    expect(other.digest).not.toBe(plan.digest);
  });

  it('of one seed changes the jobs of that seed only', () => {
    expect(changed(planOf(edited(['[11, 23]', '[11, 24]'])))).toEqual(['sft/24', 'rl/24', 'evaluate/24']);
  });

  it('of our own code or of a file changes the jobs that use it', () => {
    const text = edited(['{ output: prepare.rl }', '{ path: ./rl.parquet }']);
    const study = loadStudy(text, 'study.yaml', { exists: () => true });
    const ids = (other: Partial<typeof hashes>): string[] =>
      planStudy(study, { ...hashes, ...other }).jobs.map(({ id }) => id);
    const differing = (other: Partial<typeof hashes>): string[] => {
      const before = ids({});
      const { jobs } = planStudy(study, { ...hashes, ...other });
      return jobs.filter(({ id }) => !before.includes(id)).map(({ stage, seed }) => `${stage}/${seed}`);
    };
    expect(differing({ path: () => 'new' })).toEqual(['rl/11', 'rl/23', 'evaluate/11', 'evaluate/23']);
    expect(differing({ code: (name) => (name === 'evaluate' ? 'new' : hashes.code(name)) })).toEqual([
      'evaluate/11',
      'evaluate/23',
    ]);
  });
});

describe('the seeds of a plan', () => {
  it('are distinct for every root seed, stage and source', () => {
    const derived = plan.jobs
      .filter(({ kind }) => kind !== 'prepare')
      .flatMap(({ seeds }) => seeds)
      // Not derived: verl gives its engine the seed of the rollout.
      .filter(({ source }) => source !== 'vllm.engine.seed')
      .flatMap(({ value }) => (value === null ? [] : [value]));
    expect(derived.length).toBeGreaterThan(20);
    expect(new Set(derived).size).toBe(derived.length);
  });

  it('do not change with the options, so that two studies see the same data in the same order', () => {
    const other = planOf(edited(['weight_decay: 0.0', 'weight_decay: 0.1']));
    expect(other.jobs.map(({ seeds }) => seeds)).toEqual(plan.jobs.map(({ seeds }) => seeds));
  });

  it('reach the files and the environment of their job', () => {
    for (const job of plan.jobs) {
      const written = `${Object.values(job.files).join('\n')}\n${JSON.stringify(job.env)}`;
      for (const { value } of job.seeds) if (value !== null) expect(written).toContain(String(value));
    }
  });
});

/** The study with the keys of every mapping in another order; lists keep theirs. */
function reordered(text: string, order: (keys: string[]) => string[]): string {
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    const mapping = new Map(Object.entries(node));
    return Object.fromEntries(order([...mapping.keys()]).map((key) => [key, walk(mapping.get(key))]));
  };
  return stringify(walk(parse(text)));
}

function shuffled(keys: string[], numbers: Iterator<number>): string[] {
  const drawn = keys.map((key) => ({ key, at: Number(numbers.next().value) }));
  return drawn.sort((a, b) => a.at - b.at).map(({ key }) => key);
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
