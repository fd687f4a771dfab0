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
