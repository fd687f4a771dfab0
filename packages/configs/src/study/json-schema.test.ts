import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { edited, problemsOf, studyText } from '../testing.ts';
import { studyJsonSchema, studyJsonSchemaText } from './json-schema.ts';

const studies = join(import.meta.dirname, '../../../../studies');
const file = (name: string): string => readFileSync(join(studies, name), 'utf8');
const ajv = new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false });
const validate = ajv.compile(studyJsonSchema());

/** What the schema says against a study, the innermost message of each place. */
function said(text: string): string[] {
  validate(parse(text));
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const key = 'additionalProperty' in params ? ` ${params['additionalProperty']}` : '';
    return `${instancePath}: ${message}${key}`;
  });
}

it('is the file that studies name (else run: her schema > studies/study.schema.json)', () => {
  expect(file('study.schema.json') === studyJsonSchemaText()).toBe(true);
  expect(JSON.parse(studyJsonSchemaText())).toEqual(JSON.parse(JSON.stringify(studyJsonSchema())));
});

it('is small enough for an editor to read at once', () => {
  expect(studyJsonSchemaText().length).toBeLessThan(560 * 1024);
});

it.each(['tiny.yaml', 'her.yaml', 'blank.yaml'])(
  'takes studies/%s, which names it in its first line',
  (name) => {
    expect(said(file(name))).toEqual([]);
    expect(file(name).split('\n')[0]).toBe('# yaml-language-server: $schema=./study.schema.json');
  },
);

const lr = 'learning_rate: 3.0e-3';
const verlLr = 'actor_rollout_ref.actor.optim.lr: 3.0e-4';
const target = 'target: { kind: local, device: cpu, cores: 2, memory_gb: 12 }';
const sftLength = 'max_length: 512\n    save_every: 40';
const megatron = 'trainer: megatron-swift\n    epochs: 3';

/** Both this program and the schema, so that neither can be wrong alone. */
describe('takes what a study may say:', () => {
  it.each([
    ['the fixture', studyText],
    [
      'a value with its origin',
      edited([lr, 'learning_rate: { value: 3.0e-3, origin: paper, evidence: Table 3 }']),
    ],
    ['a deviation', edited([lr, 'learning_rate: { value: 1, origin: card, deviates_from_paper: true }'])],
    ['a list with its origin', edited(['seeds: [11, 23]', 'seeds: { value: [11, 23], origin: user }'])],
    ['a word with its origin', edited(['global: 16', 'global: { value: 16, origin: repo }'])],
    ['an item with its origin', edited(['[11, 23]', '[{ value: 11, origin: user }, 23]'])],
    ['one name or several', edited(['data: sft\n', 'data: [sft]\n'])],
    ['a word of two forms', edited([sftLength, `overlong: { delete: 3 }\n    ${sftLength}`])],
    ["Hydra's plus", edited([verlLr, `${verlLr}\n      +actor_rollout_ref.model.override_config.x: 1`])],
    ['a number where an option takes a text', edited(['optim: adamw_torch', 'run_name: 7'])],
    ['one of a list', edited(['optim: adamw_torch', 'callbacks: perf_log'])],
    [
      'a stage that an arm makes whole',
      edited(
        ['    max_length: 512\n', ''],
        ['\nmodels:', '\narms: { a: { change: { sft: { max_length: 512 } } } }\n\nmodels:'],
      ),
    ],
    [
      'several targets, and a null that takes a key away',
      edited(
        [target, 'target: a\ntargets: { a: { kind: local }, b: { kind: local, cores: 4 } }'],
        [sftLength, `${sftLength}\n    on: { b: { keep: null, batch: { global: 32 } } }`],
      ),
    ],
    [
      'questions',
      edited([target, `${target}\nquestions: { q: { ask: Which?, facts: [one], answer: this } }`]),
    ],
  ])('%s', (_, text) => {
    expect(said(text)).toEqual([]);
    expect(problemsOf(text)).toEqual([]);
  });

  it('options of Megatron where the stage runs on it, and there only', () => {
    const options = studyText.slice(studyText.indexOf(lr), studyText.indexOf('  rl:\n'));
    const text = edited([options, 'recompute_method: uniform\n']);
    const plain = '/stages/sft/options: must NOT have additional properties recompute_method';
    expect(said(text)).toContain(plain);
    expect(said(text.replace('epochs: 3', megatron))).toEqual([]);
  });
});

describe('refuses, as this program does,', () => {
  it.each([
    [
      'a misspelt key',
      edited(['save_every: 40', 'save_evry: 40']),
      '/stages/sft: must NOT have additional properties save_evry',
    ],
    [
      'a misspelt key of the file',
      edited(['name: fixture', 'nmae: fixture']),
      ': must NOT have additional properties nmae',
    ],
    [
      'a missing key of a stage',
      edited(['    save_every: 40\n', '']),
      "/stages/sft: must have required property 'save_every'",
    ],
    ['a wrong type', edited(['epochs: 3', 'epochs: three']), '/stages/sft/epochs: must be number'],
    [
      'a wrong word',
      edited(['kind: evaluate', 'kind: evalute']),
      '/stages/evaluate/kind: must be equal to one of the allowed values',
    ],
    [
      'a wrong name',
      edited(['name: fixture', 'name: Fixture']),
      '/name: must match pattern "^[a-z][a-z0-9_-]{0,30}$"',
    ],
    [
      'an option that is none',
      edited(['learning_rate', 'learning_rat']),
      '/stages/sft/options: must NOT have additional properties learning_rat',
    ],
    [
      'an option of verl that is none',
      edited(['optim.lr', 'optim.rl']),
      '/stages/rl/options: must NOT have additional properties actor_rollout_ref.actor.optim.rl',
    ],
    [
      'an option of the other trainer',
      edited([verlLr, lr.replace('3.0e-3', '1')]),
      '/stages/rl/options: must NOT have additional properties learning_rate',
    ],
    [
      'an option that the study says itself',
      edited([lr, 'num_train_epochs: 3']),
      '/stages/sft/options: must NOT have additional properties num_train_epochs',
    ],
    [
      'a key that verl ignores',
      edited([verlLr, 'custom_reward_function.path: a.py']),
      '/stages/rl/options: must NOT have additional properties custom_reward_function.path',
    ],
    [
      'an option of a wrong type',
      edited([lr, 'learning_rate: fast']),
      '/stages/sft/options/learning_rate: must be number',
    ],
    [
      'an option that has no such choice',
      edited(['adamw_torch', 'adamw_troch']),
      '/stages/sft/options/optim: must be equal to one of the allowed values',
    ],
    [
      'an origin that is none',
      edited([lr, 'learning_rate: { value: 1, origin: papr }']),
      '/stages/sft/options/learning_rate/origin: must be equal to one of the allowed values',
    ],
    [
      'a target without its nodes',
      edited([target, 'target: { kind: slurm, cores: 1, memory_gb: 1 }']),
      "/target: must have required property 'nodes'",
    ],
    [
      'a misspelt key of a change',
      edited(
        [target, 'target: a\ntargets: { a: { kind: local } }'],
        [sftLength, `${sftLength}\n    on: { a: { kep: 3 } }`],
      ),
      '/stages/sft/on/a: must NOT have additional properties kep',
    ],
  ])('%s', (_, text, message) => {
    expect(said(text)).toContain(message);
    expect(problemsOf(text)).not.toEqual([]);
  });
});

describe('for completion', () => {
  const definitions = studyJsonSchema()['$defs'] as Record<string, { properties: Record<string, object> }>;

  it('an option has its type, its choices, its default and what constrains it', () => {
    const option = definitions['options-fsdp']?.properties['actor_rollout_ref.rollout.temperature'];
    expect(option).toMatchObject({ $ref: '#/$defs/option-float', default: 1 });
    expect(option).toHaveProperty('description', expect.stringContaining('temperature'));
    expect(definitions['options-sft']?.properties['optim']).toMatchObject({ $ref: '#/$defs/option-optim' });
    expect(definitions['option-optim-value']).toMatchObject({
      anyOf: [{ enum: expect.arrayContaining(['adamw_torch']) }, { type: 'null' }],
    });
  });

  it('a word of the study keeps its description and its default', () => {
    expect(definitions['sft']?.properties['keep']).toMatchObject({
      default: 2,
      description: expect.any(String),
    });
  });

  it('known names of models are offered', () => {
    expect(definitions['model-type-value']).toMatchObject({
      anyOf: [{ enum: expect.arrayContaining(['qwen3']) }, {}],
    });
  });
});
