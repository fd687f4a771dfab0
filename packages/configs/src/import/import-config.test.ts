import { describe, expect, it } from 'vitest';
import { importConfig } from './import-config.ts';
import { ImportError } from './problem.ts';

const read = (text: string, file = 'a.yaml') => {
  const [launch] = importConfig(text, { file }).launches;
  if (!launch) throw new Error('no launch');
  return launch;
};
const options = (text: string, file?: string) =>
  Object.fromEntries(read(text, file).options.map(({ name, values }) => [name, values]));
const problem = (text: string, file?: string) => {
  try {
    read(text, file);
  } catch (error) {
    if (error instanceof ImportError) return error;
  }
  return undefined;
};

describe("ms-swift's config", () => {
  it('is read as PyYAML reads it', () => {
    const text = `model: m
learning-rate: 1e-5
warmup: 1.0e-2
packing: no
streaming: 'no'
dataset: [a, 'b#100']
epochs: 017
port: 1_000
date: 2026-01-01
kwargs: { a: 1, b: [yes] }
empty: []
none:
`;
    expect(options(text)).toEqual({
      model: ['m'],
      learning_rate: ['1e-5'],
      warmup: [0.01],
      packing: [false],
      streaming: ['no'],
      dataset: ['a', 'b#100'],
      epochs: [15],
      port: [1000],
      date: ['2026-01-01'],
      kwargs: [{ a: 1, b: [true] }],
      empty: [],
      none: ['None'],
    });
    expect(read(text).options[2]).toMatchObject({ line: 3, column: 1, spelling: 'warmup' });
    expect(read(text).notes).toMatchObject([{ line: 12, code: 'not-an-option' }]);
  });

  it('`ENV` sets the environment and the number of processes', () => {
    const { env, launcher, options: all } = read('a: 1\nENV:\n  NPROC_PER_NODE: 2\n  X: true\n');
    expect(env).toEqual({
      NPROC_PER_NODE: { value: '2', line: 3, unknown: [] },
      X: { value: 'True', line: 4, unknown: [] },
    });
    expect(launcher).toEqual({ other: [], nprocPerNode: '2' });
    expect(all.map(({ name }) => name)).toEqual(['a']);
  });

  it('JSON keeps its own numbers and has lines too', () => {
    expect(options('{"learning_rate": 1e-5,\n "no": "no", "x": null, "y": [1, true]}', 'a.json')).toEqual({
      learning_rate: [1e-5],
      no: ['no'],
      x: ['None'],
      y: [1, true],
    });
    expect(read('{"a": 1,\n "b": 2}', 'a.json').options[1]).toMatchObject({ line: 2, column: 2 });
  });

  it('anchors and merges are followed, a repeated key counts last', () => {
    expect(options('base: &b { x: 1 }\nuse: *b\na: 1\na: 2\n')).toEqual({
      base: [{ x: 1 }],
      use: [{ x: 1 }],
      a: [2],
    });
  });

  it('mistakes are typed and placed', () => {
    expect(problem('a: 1\nb: [1\n')).toMatchObject({ code: 'IMPORT_YAML' });
    expect(problem('{"a": 1,}', 'a.json')).toMatchObject({
      code: 'IMPORT_JSON',
      place: { line: 1, column: 9 },
    });
    expect(problem('- a\n')).toMatchObject({ code: 'IMPORT_CONFIG' });
    expect(problem('a: &a [*a]\n')).toMatchObject({ code: 'IMPORT_LIMIT' });
    expect(problem(`a: ${'['.repeat(20_000)}`)).toMatchObject({ code: 'IMPORT_LIMIT' });
  });
});

describe("verl's config", () => {
  it('a tree of options becomes dotted names; Hydra composes elsewhere', () => {
    const text = `defaults: [ppo_trainer]
actor_rollout_ref:
  actor:
    optim: { lr: 1e-6 }
    use_kl_loss: no
  rollout.n: 8
data:
  files: [a, b]
`;
    const launch = read(text);
    expect(launch).toMatchObject({ trainer: 'verl', command: 'main_ppo' });
    expect(launch.options.map(({ name, values, line, action }) => [name, values[0], line, action])).toEqual([
      ['actor_rollout_ref.actor.optim.lr', 1e-6, 4, 'set'],
      ['actor_rollout_ref.actor.use_kl_loss', false, 5, 'set'],
      ['actor_rollout_ref.rollout.n', 8, 6, 'set'],
      ['data.files', ['a', 'b'], 8, 'set'],
    ]);
    expect(launch.notes).toMatchObject([{ line: 1, code: 'not-an-option' }]);
  });

  it('a file of overrides has one on a line', () => {
    const launch = read("# mine\n\na.b=1\n+c.d='x y'\n~e\nnonsense\n", 'a.overrides');
    expect(launch.options.map(({ name, values, action, line }) => [name, values, action, line])).toEqual([
      ['a.b', [1], 'set', 3],
      ['c.d', ['x y'], 'add', 4],
      ['e', [], 'delete', 5],
    ]);
    expect(launch.notes).toMatchObject([{ line: 6, code: 'not-an-option' }]);
  });
});

describe('which command a file is for', () => {
  const of = (text: string, file = 'a.yaml') => {
    const { trainer, command } = read(text, file);
    return `${trainer} ${command}`;
  };

  it.each([
    ['model: m\nrlhf_type: dpo\n', 'ms-swift rlhf'],
    ['model: m\nreward_funcs: [accuracy]\n', 'ms-swift rlhf'],
    ['model: m\nper_device_train_batch_size: 1\n', 'ms-swift '],
    ['model: m\nmicro_batch_size: 1\n', 'megatron-swift sft'],
    ['model: m\ntensor_model_parallel_size: 2\n', 'megatron-swift sft'],
    ['model: m\ntrain_iters: 9\nrlhf_type: dpo\n', 'megatron-swift rlhf'],
    ['model: m\nlr: 1.0e-5\n', 'megatron-swift sft'],
  ])('is told by its keys: %j', (text, command) => {
    expect(of(text)).toBe(command);
  });

  it('is told by its name where its keys leave it open', () => {
    expect(of('model: m\n', 'x/megatron-rlhf.yaml')).toBe('megatron-swift rlhf');
    expect(of('model: m\n', 'sft.yaml')).toBe('ms-swift sft');
    expect(of('model: m\nrlhf_type: dpo\n', 'sft.yaml')).toBe('ms-swift rlhf');
  });

  it.each([
    ['her: 1\nname: a\nstages: {}\n', /study of this program/],
    ['resources: { accelerators: A100 }\nrun: swift sft\n', /SkyPilot/],
    ['compute_environment: LOCAL_MACHINE\nnum_processes: 2\n', /accelerate/],
    ['zero_optimization: { stage: 2 }\n', /DeepSpeed/],
  ])('none: %j is refused, with the way to force it', (text, what) => {
    const found = problem(text);
    expect(found?.message).toMatch(what);
    expect(found?.hint).toContain('--command sft');
    expect(importConfig(text, { file: 'a.yaml', trainer: 'ms-swift', command: 'sft' }).launches).toHaveLength(
      1,
    );
  });
});
