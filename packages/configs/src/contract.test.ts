import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { generatedFiles, generateOptions } from '../generate/generate.ts';
import type { Job, Plan } from './plan/job.ts';
import { unsayable } from './rules/unsayable.ts';
import { stageContext } from './stages/contexts.ts';
import { overrideText } from './stages/rl/overrides.ts';
import { renderSwift } from './stages/swift/render.ts';
import type { OptionValue } from './study/settings.ts';
import { armOf, edited, planOf, studyText } from './testing.ts';
import { askTrainer, trainerPython } from './testing-python.ts';

const slow = { timeout: 300_000 };
const studies = join(import.meta.dirname, '../../../studies');
const tiny = planOf(readFileSync(join(studies, 'tiny.yaml'), 'utf8'));
const her = ['nodes-2', 'nodes-4', 'nodes-8'].map((target) =>
  planOf(readFileSync(join(studies, 'her.yaml'), 'utf8'), target),
);

type SwiftFile = { command: string; text: string; job: Job };

/** The config file of each job of ms-swift; jobs that differ in nothing but their seeds are one. */
function swiftFiles(plans: readonly Plan[]): SwiftFile[] {
  const files = plans.flatMap(({ jobs }) =>
    jobs.flatMap((job) => {
      const name = Object.keys(job.files).find((path) => path.endsWith('.yaml'));
      const text = name === undefined ? undefined : job.files[name];
      return name === undefined || text === undefined
        ? []
        : [{ command: name.replace('.yaml', ''), text, job }];
    }),
  );
  const seeds = /^(seed|data_seed): .*$/gm;
  return [...new Map(files.map((file) => [file.text.replace(seeds, ''), file])).values()];
}

/** The overrides of each job of verl, in the same manner. */
function verlJobs(plans: readonly Plan[]): { job: Job; overrides: string[] }[] {
  const found = plans.flatMap(({ jobs }) =>
    jobs.flatMap((job) => {
      const text = job.files['verl.overrides'];
      return text === undefined ? [] : [{ job, overrides: text.trimEnd().split('\n') }];
    }),
  );
  const sources = (lines: string[]): string => lines.filter((line) => !/seed=/.test(line)).join('\n');
  return [...new Map(found.map((one) => [sources(one.overrides), one])).values()];
}

/** Texts that parsers take for something else, and any others. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'\'"\\$ {}[](),:=#%*@?|&!-+.e1') }),
  fc.constantFrom(
    'no',
    'on',
    'null',
    '~',
    'True',
    '1e-5',
    '.5',
    '1_000',
    '0o14',
    '12:30:45',
    '2020-01-01',
    '<<',
    '=',
    '-x',
  ),
);
const scalar = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
);
const name = fc.oneof(fc.stringMatching(/^[a-z_][a-z0-9_-]{0,8}$/), fc.constantFrom('no', 'on', 'y', 'null'));
const value: fc.Arbitrary<OptionValue> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(name, fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
);
const sayable = (trainer: string) => value.filter((written) => unsayable(written, trainer) === undefined);

type SwiftFound = { words: string[]; args: Record<string, unknown> | null; rest: string[] };
type SwiftChecked = { error: string | null; rest: string[]; args: Record<string, unknown> | null };

describe('ms-swift', () => {
  it(
    'takes every rendered file of both presets, and one of each of its commands, word for word',
    slow,
    ({ skip }) => {
      const files = swiftFiles([tiny, ...her, ...otherCommands()]);
      expect(new Set(files.map(({ command }) => command)).size).toBe(4);
      const abbreviated = (files[0]?.text ?? '').replace('learning_rate:', 'learning_rat:');
      const given = [...files, { command: 'sft', text: abbreviated }];
      const python = trainerPython('HER_SWIFT_PYTHON', skip);
      const found = askTrainer<SwiftFound[]>(python, 'swift_args.py', given);
      for (const [i, { text, job }] of files.entries()) {
        expect(found[i]?.rest, job.name).toEqual([]);
        for (const [option, value] of Object.entries(parse(text))) {
          const got = found[i]?.args?.[option];
          expect(Array.isArray(got) ? got : [got], `${job.name} ${option}`).toEqual(
            Array.isArray(value) ? value : [value],
          );
        }
      }
      // The check is alive: what ms-swift would have taken for a longer name is left over here.
      expect(found.at(-1)?.rest[0]).toBe('--learning_rat');
    },
  );

  it('raises nothing in its own checks over the files of both presets', slow, ({ skip }) => {
    const python = trainerPython('HER_SWIFT_PYTHON', skip);
    const prepare = tiny.jobs.find(({ kind }) => kind === 'prepare')?.files['prepare.json'];
    const files = swiftFiles([tiny, ...her]);
    const packed = `${files.at(-1)?.text}packing: true\n`.replace('"flash_attn"', '"sdpa"');
    const asked = files.map(({ command, text, job }) => ({ command, text, others: job.files }));
    const given = { prepare, files: [...asked, { command: 'sft', text: packed, others: {} }] };
    const found = askTrainer<SwiftChecked[]>(python, 'swift_checks.py', given);
    for (const [i, { text, job }] of files.entries()) {
      expect(found[i]?.error, job.name).toBeNull();
      expect(found[i]?.rest, job.name).toEqual([]);
      const written = parse(text);
      for (const option of ['template', 'max_length', 'truncation_strategy', 'strict', 'data_seed'])
        expect(found[i]?.args?.[option], `${job.name} ${option}`).toBe(written[option]);
    }
    // The check is alive: ms-swift itself refuses to pack without flash attention.
    expect(found.at(-1)?.error).toContain('flash');
  });

  it('is given each value of an option as it was written', slow, ({ skip }) => {
    const python = trainerPython('HER_SWIFT_PYTHON', skip);
    const values = fc.sample(sayable('ms-swift'), { numRuns: 300, seed: 20261130 });
    const texts = values.map((given) => sftFileWith('system', given));
    const given = texts.map((sft) => ({ command: 'sft', text: sft }));
    const found = askTrainer<SwiftFound[]>(python, 'swift_args.py', given);
    for (const [i, value] of values.entries()) {
      const words = found[i]?.words ?? [];
      const at = words.indexOf('--system');
      const got = words.slice(at + 1);
      if (Array.isArray(value))
        expect(got.map((word, k) => sameWord(word, value[k]))).toEqual(value.map(() => true));
      else expect(sameWord(got[0] ?? '', value), `${JSON.stringify(value)} arrived as ${got[0]}`).toBe(true);
    }
  });
});

/** `sft.yaml` with one option of any value, as the last of the file. */
function sftFileWith(option: string, given: OptionValue): string {
  const { study, told } = armOf(studyText);
  const stage = study.stages['sft'];
  if (stage?.kind !== 'sft') throw new TypeError('the fixture has no sft stage');
  const changed = { ...stage, options: { [option]: given } };
  const context = stageContext(study, told, { stageName: 'sft', stage: changed, seed: 11 });
  return renderSwift(context).files['sft.yaml'] ?? '';
}

/** Whether a word of the command line says the value: ms-swift writes Python's `str` of it, JSON for a mapping. */
function sameWord(word: string, given: OptionValue | undefined): boolean {
  if (typeof given === 'boolean') return word === (given ? 'True' : 'False');
  if (typeof given === 'number') return Number(word) === given;
  if (typeof given === 'string') return word === given;
  return JSON.stringify(JSON.parse(word)) === JSON.stringify(given);
}

type VerlFound = { error: string | null; config: Record<string, unknown> | null };

describe('verl', () => {
  it('composes and validates the rendered overrides of both presets, for every engine', slow, ({ skip }) => {
    const python = trainerPython('HER_VERL_PYTHON', skip);
    const jobs = verlJobs([tiny, ...her, megatronRl()]);
    const [first = []] = jobs.map(({ overrides }) => overrides);
    const bad = ['actor_rollout_ref.actor.nosuch=1', 'actor_rollout_ref.actor.ppo_mini_batch_size=4096'];
    const lists = [...jobs.map(({ overrides }) => overrides), ...bad.map((line) => [...first, line])];
    const found = askTrainer<VerlFound[]>(python, 'verl_config.py', lists);
    for (const [i, { job }] of jobs.entries()) {
      expect(found[i]?.error, job.name).toBeNull();
      for (const [key, setting] of Object.entries(job.settings)) {
        if (!key.startsWith('hydra.'))
          expect(at(found[i]?.config, key), `${job.name} ${key}`).toEqual(setting.value);
      }
    }
    expect(jobs.some(({ overrides }) => overrides[0] === 'model_engine=megatron')).toBe(true);
    // The check is alive: Hydra refuses a key that is not there, verl's validation a mini-batch that is too large.
    const [unknown, large] = found.slice(-2);
    expect(unknown?.error).toContain("Could not override 'actor_rollout_ref.actor.nosuch'");
    expect(large?.error).toContain('4096');
  });

  it("is given each value of an option as it was written, by Hydra's own parser", slow, ({ skip }) => {
    const python = trainerPython('HER_VERL_PYTHON', skip);
    const values = fc.sample(sayable('verl'), { numRuns: 1500, seed: 20261130 });
    const overrides = values.map((given, i) => ({
      key: `a.b${i}`,
      value: given,
      ...(i % 2 ? { add: true as const } : {}),
    }));
    const found = askTrainer(python, 'hydra_values.py', overrides.map(overrideText));
    expect(found).toEqual(
      overrides.map(({ key, value: given, add = false }) => ({ key, adds: add, value: given })),
    );
  });
});

function at(tree: unknown, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((node, step) => (node as Record<string, unknown> | null)?.[step], tree);
}

const gpus = '{ kind: slurm, nodes: 2, cores: 64, memory_gb: 1000, gpus: { per_node: 8, kind: H100-80 } }';
const onGpus: [string, string] = ['{ kind: local, device: cpu, cores: 2, memory_gb: 12 }', gpus];
const noOptions: [string, string] = [
  studyText.slice(studyText.indexOf('    options:\n      learning_rate'), studyText.lastIndexOf('\n  rl:')),
  '',
];

const fewer: [string, string] = ['micro_per_device: 16', 'micro_per_device: 4'];

/** A study for each command of ms-swift that no preset uses. */
function otherCommands(): Plan[] {
  return [
    ['kind: rlhf\n    method: dpo', 'per_device: 1'],
    ['kind: sft\n    trainer: megatron-swift\n    parallel: { tensor: 4, pipeline: 2 }', 'per_device: 2'],
    [
      'kind: rlhf\n    trainer: megatron-swift\n    method: dpo\n    parallel: { context: 2 }',
      'per_device: 2',
    ],
  ].map(([kind = '', batch = '']) =>
    planOf(edited(onGpus, noOptions, ['kind: sft', kind], [', per_device: 16', `, ${batch}`], fewer)),
  );
}

/** verl over Megatron. */
function megatronRl(): Plan {
  const engine = 'kind: rl\n    engine: megatron\n    parallel: { tensor: 2, pipeline: 2, offload: all }';
  return planOf(edited(onGpus, [', per_device: 16', ', per_device: 1'], ['kind: rl', engine], fewer));
}

describe('the tables of options', () => {
  it(
    'are what the pinned trainers declare today, byte for byte (else run: pnpm -F @her/configs generate)',
    slow,
    ({ skip }) => {
      const swift = trainerPython('HER_SWIFT_PYTHON', skip);
      const verl = trainerPython('HER_VERL_PYTHON', skip);
      const files = generateOptions({ swift, verl });
      expect(generatedFiles().toSorted()).toEqual(files.map(({ file }) => file).toSorted());
      for (const { file, text: generated } of files) {
        expect(readFileSync(file, 'utf8') === generated, file).toBe(true);
      }
    },
  );
});
