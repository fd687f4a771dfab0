import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { generatedFiles, generateOptions } from '../generate/generate.ts';
import type { Job } from './plan/job.ts';
import { unsayable } from './rules/unsayable.ts';
import { stageContext } from './stages/contexts.ts';
import { overrideText } from './stages/rl/overrides.ts';
import { renderSwift } from './stages/swift/render.ts';
import type { OptionValue } from './study/settings.ts';
import { armOf, planOf, studyText } from './testing.ts';
import { askTrainer, trainerPython } from './testing-python.ts';

const slow = { timeout: 300_000 };
const tiny = readFileSync(join(import.meta.dirname, '../../../studies/tiny.yaml'), 'utf8');

function jobOf(kind: Job['kind']): Job {
  const job = planOf(tiny).jobs.find((candidate) => candidate.kind === kind);
  if (job === undefined) throw new TypeError(`studies/tiny.yaml has no ${kind} stage`);
  return job;
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

describe('ms-swift', () => {
  it(
    'takes the rendered file of studies/tiny.yaml word for word, in its launcher and its parser',
    slow,
    ({ skip }) => {
      const file = jobOf('sft').files['sft.yaml'] ?? '';
      const abbreviated = file.replace('learning_rate:', 'learning_rat:');
      const [found, other] = askTrainer<SwiftFound[]>(
        trainerPython('HER_SWIFT_PYTHON', skip),
        'swift_args.py',
        [file, abbreviated],
      );
      expect(found?.rest).toEqual([]);
      for (const [option, given] of Object.entries(parse(file))) {
        const got = found?.args?.[option];
        expect(Array.isArray(got) ? got : [got], option).toEqual(Array.isArray(given) ? given : [given]);
      }
      // The check is alive: what ms-swift would have taken for a longer name is left over here.
      expect(other?.rest[0]).toBe('--learning_rat');
    },
  );

  it('is given each value of an option as it was written', slow, ({ skip }) => {
    const python = trainerPython('HER_SWIFT_PYTHON', skip);
    const values = fc.sample(sayable('ms-swift'), { numRuns: 300, seed: 20261130 });
    const texts = values.map((given) => sftFileWith('system', given));
    const found = askTrainer<SwiftFound[]>(python, 'swift_args.py', texts);
    for (const [i, given] of values.entries()) {
      const words = found[i]?.words ?? [];
      const at = words.indexOf('--system');
      const got = words.slice(at + 1);
      if (Array.isArray(given))
        expect(got.map((word, k) => sameWord(word, given[k]))).toEqual(given.map(() => true));
      else expect(sameWord(got[0] ?? '', given), `${JSON.stringify(given)} arrived as ${got[0]}`).toBe(true);
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
  it('composes and validates the rendered overrides of studies/tiny.yaml', slow, ({ skip }) => {
    const python = trainerPython('HER_VERL_PYTHON', skip);
    const job = jobOf('rl');
    const overrides = (job.files['verl.overrides'] ?? '').trimEnd().split('\n');
    const bad = ['actor_rollout_ref.actor.nosuch=1', 'actor_rollout_ref.actor.ppo_mini_batch_size=4096'];
    const lists = [overrides, ...bad.map((line) => [...overrides, line])];
    const [found, unknown, large] = askTrainer<VerlFound[]>(python, 'verl_config.py', lists);
    expect(found?.error).toBeNull();
    for (const [key, setting] of Object.entries(job.settings)) {
      if (!key.startsWith('hydra.'))
        expect(at(found?.config, key.replace('+', '')), key).toEqual(setting.value);
    }
    // The check is alive: Hydra refuses a key that is not there, verl's validation a mini-batch that is too large.
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
