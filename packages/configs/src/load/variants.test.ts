import { describe, expect, it } from 'vitest';
import { planStudy } from '../plan/plan.ts';
import { edited, hashes, problemsOf } from '../testing.ts';
import { loadStudy } from './load.ts';

type Edit = [from: string, to: string];
const gpus = 'gpus: { per_node: 8, kind: H100-80 }, cores: 64, memory_gb: 1000 }';
const twoTargets: Edit[] = [
  [
    'target: { kind: local, device: cpu, cores: 2, memory_gb: 12 }',
    `target: one
targets:
  one: { kind: slurm, nodes: 1, ${gpus}
  two: { kind: slurm, nodes: 2, ${gpus}`,
  ],
  ['batch: { global: 16, per_device: 16 }', 'batch: { global: 16, per_device: 1 }'],
  ['micro_per_device: 16', 'micro_per_device: 4'],
];
const arms = (text: string): Edit => ['stages:\n', `arms:\n${text}\nstages:\n`];

const load = (text: string, target?: string) =>
  loadStudy(text, 'study.yaml', { exists: () => true, ...(target === undefined ? {} : { target }) });
const planned = (text: string, target?: string) => planStudy(load(text, target), hashes).jobs;
const names = (text: string): string[] => planned(text).map(({ name }) => name);

describe('arms', () => {
  const plain = edited(
    arms(
      '  full: {}\n  hot: { stages: [rl], change: { rl: { options: { actor_rollout_ref.actor.optim.lr: 1.0e-3 } } } }',
    ),
  );

  it('share what they have in common, and run the rest by themselves', () => {
    expect(names(plain)).toEqual([
      'prepare/full',
      'sft/full/11',
      'sft/full/23',
      'rl/full/11',
      'rl/full/23',
      'evaluate/full/11',
      'evaluate/full/23',
      'rl/hot/11',
      'rl/hot/23',
    ]);
    const jobs = planned(plain);
    const hot = jobs.find(({ name }) => name === 'rl/hot/23');
    const sft = jobs.find(({ name }) => name === 'sft/full/23');
    expect(hot?.needs).toContain(sft?.id);
    expect(hot?.settings['actor_rollout_ref.actor.optim.lr']?.value).toBe(0.001);
    // A change is merged into what is there.
    expect(hot?.settings['actor_rollout_ref.rollout.max_num_seqs']?.value).toBe(128);
  });

  it('run a stage again when something that it needs is other', () => {
    const text = edited(arms('  full: {}\n  long: { stages: [rl], change: { sft: { epochs: 4 } } }'));
    expect(names(text).filter((name) => name.includes('long'))).toEqual([
      'sft/long/11',
      'sft/long/23',
      'rl/long/11',
      'rl/long/23',
    ]);
  });

  it('with one root seed see the same data in the same order', () => {
    const jobs = planned(plain);
    const seeds = (name: string) => jobs.find((job) => job.name === name)?.seeds;
    expect(seeds('rl/hot/11')).toEqual(seeds('rl/full/11'));
  });

  it.each([
    ['  full: {}\n  same: {}', 'makes no job of its own'],
    ['  full: {}\n  same: { change: { sft: { epochs: 3 } } }', 'makes no job of its own'],
    ['  full: {}\n  same: { change: { sft: { limits: { silence: 60 } } } }', 'makes no job of its own'],
    ['  full: {}\n  idle: { stages: [sft], change: { rl: { steps: 3 } } }', 'does not run `rl`'],
  ])('that compare nothing are refused: %s', (text, message) => {
    const found = problemsOf(edited(arms(text)));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it('show a mistake at the key of the arm that makes it', () => {
    const text = edited(
      arms('  full: {}\n  hot:\n    change:\n      rl:\n        steps: many\n        optins: {}'),
    );
    expect(problemsOf(text).map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
      '19:16  arms.hot.change.rl.steps: the text "many" where a number is expected. [STUDY_WRONG_TYPE]',
      '20:9  arms.hot.change.rl.optins: unknown key `optins`. Did you mean `options`? [STUDY_UNKNOWN_KEY]',
    ]);
  });

  it('name stages that are there', () => {
    const text = edited(arms('  full: {}\n  hot: { stages: [rll], change: { stf: {} } }'));
    const found = problemsOf(text);
    expect(found).toHaveLength(2);
    expect(found[0]).toContain('no stage is named `rll`. Did you mean `rl`?');
    expect(found[1]).toContain('no stage is named `stf`. Did you mean `sft`?');
  });
});

describe('targets', () => {
  const text = edited(...twoTargets, [
    'max_length: 512',
    'max_length: 512\n    on: { two: { batch: { per_device: 1 }, parallel: { sequence: 2 } } }',
  ]);

  it('are one of those that the study names', () => {
    const nodes = (target?: string) =>
      planned(text, target).find(({ stage }) => stage === 'sft')?.resources.nodes;
    expect([nodes(), nodes('two')]).toEqual([1, 2]);
    const settings = (target: string) => planned(text, target).find(({ stage }) => stage === 'sft')?.settings;
    expect(settings('one')?.['gradient_accumulation_steps']?.value).toBe(2);
    expect(settings('two')?.['sequence_parallel_size']?.value).toBe(2);
    expect(settings('one')?.['sequence_parallel_size']).toBeUndefined();
  });

  it('are all checked, whichever is chosen', () => {
    const wrong = text.replace('parallel: { sequence: 2 }', 'parallel: { sequence: 3 }');
    const [problem, ...others] = problemsOf(wrong);
    expect(problem).toContain('stages.sft.on.two.parallel.sequence: ');
    expect(problem).toContain('16 is not a multiple of 3');
    expect(others).toEqual([]);
  });

  it.each([
    [
      twoTargets[0]?.[1].replace('target: one', 'target: oen') ?? '',
      'no target is named `oen`. Did you mean `one`?',
    ],
    [twoTargets[0]?.[1].replace('target: one\n', '') ?? '', '`target` must name one of `targets`'],
  ])('that are not chosen rightly are one mistake', (written, message) => {
    const [first = ['', ''], ...rest] = twoTargets;
    const found = problemsOf(edited([first[0], written], ...rest));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });
});

describe('a value with origin', () => {
  it('may stand anywhere, changes no job, and is kept with every setting that it makes', () => {
    const plain = edited();
    const told = edited(
      ['epochs: 3', 'epochs: { value: 3, origin: paper, evidence: p. 7 }'],
      ['seeds: [11, 23]', 'seeds: { value: [11, 23], origin: repo }'],
      [
        'batch: { global: 16, per_device: 16 }',
        'batch: { global: { value: 16, origin: card }, per_device: 16 }',
      ],
    );
    const ids = (text: string) => planned(text).map(({ id }) => id);
    expect(ids(told)).toEqual(ids(plain));
    const settings = planned(told).find(({ stage }) => stage === 'sft')?.settings ?? {};
    expect(settings['num_train_epochs']).toEqual({
      value: 3,
      origin: 'paper',
      evidence: 'p. 7',
      key: 'epochs',
    });
    expect(settings['gradient_accumulation_steps']?.origin).toBe('card');
    expect(settings['data_seed']?.origin).toBe('repo');
    expect(settings['per_device_train_batch_size']?.origin).toBe('user');
    expect(settings['save_total_limit']?.origin).toBe('her');
  });

  it('is the new one where an arm or a target changes the value', () => {
    const text = edited(
      ['epochs: 3', 'epochs: { value: 3, origin: paper, evidence: p. 7 }'],
      arms(
        '  full: {}\n  long: { stages: [sft], change: { sft: { epochs: { value: 4, origin: user } } } }\n  short: { stages: [sft], change: { sft: { epochs: 2 } } }',
      ),
    );
    const epochs = (arm: string) =>
      planned(text).find((job) => job.arm === arm && job.stage === 'sft')?.settings['num_train_epochs'];
    expect(epochs('full')).toMatchObject({ value: 3, origin: 'paper' });
    expect(epochs('long')).toEqual({ value: 4, origin: 'user', key: 'epochs' });
    expect(epochs('short')).toEqual({ value: 2, origin: 'user', key: 'epochs' });
  });
});

describe('a question', () => {
  const asked = (text: string) =>
    edited(['stages:\n', `questions:\n  base:\n    ask: Which?\n${text}\nstages:\n`]);

  it('is known with its facts, and open until it is answered', () => {
    const { questions } = load(asked('    facts: [One.]\n    settles: [models.start.type]'));
    expect(questions['base']).toEqual({
      ask: 'Which?',
      facts: ['One.'],
      settles: ['models.start.type'],
      answer: null,
    });
  });

  it('may settle an option, dots and all', () => {
    const key = 'stages.rl.options.actor_rollout_ref.actor.optim.lr';
    expect(problemsOf(asked(`    settles: [${key}]`))).toEqual([]);
    expect(problemsOf(asked('    settles: [constructor]'))).toHaveLength(1);
  });

  it('settles keys that are there', () => {
    expect(problemsOf(asked('    settles: [models.strat.type]'))).toEqual([
      '17:15  questions.base.settles.0: the study has no key `models.strat.type`. [STUDY_UNKNOWN_NAME]',
    ]);
  });
});
