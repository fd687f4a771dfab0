import { describe, expect, it } from 'vitest';
import { edited, problemsOf, studyText } from '../testing.ts';

type Case = [what: string, text: string, ...problems: string[]];

/** The problems of each text, all of them and nothing else. */
function check(cases: Case[]): void {
  it.each(cases.map(([what, text, ...problems]) => ({ what, text, problems })))('$what', (given) => {
    expect(problemsOf(given.text)).toEqual(given.problems);
  });
}

describe('a study without mistakes', () => {
  it('loads', () => expect(problemsOf(studyText)).toEqual([]));
});

describe('a key of the study', () => {
  const sftKeys =
    'kind, trainer, model, data, validation, epochs, steps, batch, max_length, overlong, parallel, save_every, keep, resumable, nodes, env, options, needs, limits, loss, on';
  check([
    [
      'that is missing is shown at the key that should hold it',
      edited(['    max_length: 512\n', '']),
      '22:3  stages.sft.max_length: `max_length` is required: a number. [STUDY_MISSING_KEY]',
    ],
    [
      'that is misspelt is one mistake, not a missing key too',
      edited(['max_length: 512', 'max_lenght: 512']),
      '28:5  stages.sft.max_lenght: unknown key `max_lenght`. Did you mean `max_length`? [STUDY_UNKNOWN_KEY]',
    ],
    [
      'that is misspelt at the top is one mistake',
      edited(['seeds:', 'sedes:']),
      '3:1  sedes: unknown key `sedes`. Did you mean `seeds`? [STUDY_UNKNOWN_KEY]',
    ],
    [
      'that decides the kind of stage may be misspelt too',
      edited(['kind: sft', 'knid: sft']),
      '23:5  stages.sft.knid: unknown key `knid`. Did you mean `kind`? [STUDY_UNKNOWN_KEY]',
    ],
    [
      'that decides the kind of stage must be there',
      edited(['    kind: sft\n', '']),
      '22:3  stages.sft.kind: `kind` is required: prepare | sft | rlhf | rl | evaluate. [STUDY_MISSING_KEY]',
    ],
    [
      'that is like none, and one that is missing, are two mistakes',
      edited(['max_length: 512', 'tokens: 512']),
      '22:3  stages.sft.max_length: `max_length` is required: a number. [STUDY_MISSING_KEY]',
      `28:5  stages.sft.tokens: unknown key \`tokens\`. Allowed: ${sftKeys}. [STUDY_UNKNOWN_KEY]`,
    ],
    [
      'that is misspelt beside the right one is a mistake, whose value is left alone',
      edited(['max_length: 512', 'max_length: 512\n    max_lenght: x']),
      '29:5  stages.sft.max_lenght: unknown key `max_lenght`. Did you mean `max_length`? [STUDY_UNKNOWN_KEY]',
    ],
    [
      'that is a number or a merge is unknown',
      edited(['epochs: 3', 'epochs: 3\n    3: 3\n    <<: { loss: all }']),
      `27:5  stages.sft.3: unknown key \`3\`. Allowed: ${sftKeys}. [STUDY_UNKNOWN_KEY]`,
      `28:5  stages.sft.<<: unknown key \`<<\`. Allowed: ${sftKeys}. [STUDY_UNKNOWN_KEY]`,
    ],
  ]);
});

describe('a value of the study', () => {
  check([
    [
      'of the wrong type',
      edited(['epochs: 3', 'epochs: three']),
      '26:13  stages.sft.epochs: the text "three" where a number is expected. [STUDY_WRONG_TYPE]',
    ],
    [
      'that was left out after its key',
      edited(['epochs: 3', 'epochs:']),
      '26:12  stages.sft.epochs: nothing (null) where a number is expected. [STUDY_WRONG_TYPE]',
    ],
    [
      'that is no whole number',
      edited(['max_length: 512', 'max_length: 512.5']),
      '28:17  stages.sft.max_length: the number 512.5 where a whole number is expected. [STUDY_WRONG_TYPE]',
    ],
    [
      'that is a list or a mapping',
      edited(['epochs: 3', 'epochs: [3]'], ['max_length: 512', 'max_length: { of: 512 }']),
      '26:13  stages.sft.epochs: a list where a number is expected. [STUDY_WRONG_TYPE]',
      '28:17  stages.sft.max_length: a mapping where a number is expected. [STUDY_WRONG_TYPE]',
    ],
    [
      'that is a whole part of the wrong type',
      edited(['    seed: 11', '    seed: 11\n    needs: all']),
      '18:12  stages.prepare.needs: the text "all" where a mapping is expected. [STUDY_WRONG_TYPE]',
    ],
    [
      'that is a text where the number it shows is meant',
      edited(['her: 1', 'her: "1"']),
      '1:6  her: the text "1" where the number 1 is expected. [STUDY_WRONG_TYPE]',
    ],
    [
      'that is another word than the allowed ones',
      edited(['direction: up', 'direction: upp'], ['well_formed', 'grade']),
      '59:22  measure.primary.metric: the text "grade" is not allowed. Allowed: heldout_loss, well_formed, mean_reward. [STUDY_WRONG_VALUE]',
      '59:54  measure.primary.direction: the text "upp" is not allowed. Did you mean `up`? [STUDY_WRONG_VALUE]',
    ],
    [
      'that is no kind of stage',
      edited(['kind: sft', 'kind: stf']),
      '23:11  stages.sft.kind: unknown kind "stf". Did you mean `sft`? [STUDY_WRONG_VALUE]',
    ],
    [
      'that is no kind of target',
      edited(['kind: local', 'kind: locla']),
      '5:17  target.kind: unknown kind "locla". Did you mean `local`? [STUDY_WRONG_VALUE]',
    ],
    [
      'that is a version of a trainer other than the known one',
      edited(['ms-swift: 4.6.0', 'ms-swift: 4.5.0']),
      '4:23  trainers.ms-swift: the text "4.5.0" is not allowed. Did you mean `4.6.0`? [STUDY_WRONG_VALUE]',
    ],
    [
      'that YAML reads as a number',
      edited(['ms-swift: 4.6.0', 'ms-swift: 4.6']),
      '4:23  trainers.ms-swift: the number 4.6 is not allowed. Allowed: 4.6.0. [STUDY_WRONG_VALUE]',
    ],
    [
      'that is too small',
      edited(['save_every: 40', 'save_every: 40\n    keep: 1'], ['samples: 8', 'samples: 1']),
      '30:11  stages.sft.keep: Too small: expected number to be >=2. [STUDY_WRONG_VALUE]',
      '45:36  stages.rl.batch.samples: at least 2: the advantage compares the replies of one prompt. [STUDY_ARITHMETIC]',
    ],
    [
      'that is no function',
      edited(['format:score', 'format']),
      '42:23  stages.rl.reward.python: a function: package.module:name. [STUDY_WRONG_VALUE]',
    ],
  ]);
});

describe('a list of seeds', () => {
  check([
    [
      'with one of them twice, thrice',
      edited(['[11, 23]', '[11, 23, 11, 11]']),
      '3:17  seeds.2: seed 11 is listed twice. [STUDY_WRONG_VALUE]',
      '3:21  seeds.3: seed 11 is listed twice. [STUDY_WRONG_VALUE]',
    ],
    [
      'with a text, a fraction and a negative number',
      edited(['[11, 23]', '[x, 1.5, -1]']),
      '3:9  seeds.0: the text "x" where a number is expected. [STUDY_WRONG_TYPE]',
      '3:12  seeds.1: the number 1.5 where a whole number is expected. [STUDY_WRONG_TYPE]',
      '3:17  seeds.2: Too small: expected number to be >=0. [STUDY_WRONG_VALUE]',
    ],
    [
      'with a seed past 31 bits',
      edited(['[11, 23]', '[2147483647, 2147483648]']),
      '3:21  seeds.1: Too big: expected number to be <=2147483647. [STUDY_WRONG_VALUE]',
    ],
    [
      'without any',
      edited(['[11, 23]', '[]']),
      '3:8  seeds: Too small: expected array to have >=1 items. [STUDY_WRONG_VALUE]',
    ],
  ]);
});

describe('a name', () => {
  const rule = 'a name: small letters, digits, - and _, at most 31';
  check([
    ['of a study', edited(['name: fixture', 'name: My Study']), `2:7  name: ${rule}. [STUDY_WRONG_VALUE]`],
    [
      'of a stage; what uses it is no second mistake',
      edited(['  rl:\n    kind', '  RL:\n    kind']),
      `37:3  stages.RL: ${rule}. [STUDY_WRONG_VALUE]`,
    ],
    [
      'of a model; what uses it is no second mistake',
      edited(['  start:', '  Start:']),
      `8:3  models.Start: ${rule}. [STUDY_WRONG_VALUE]`,
    ],
    [
      'of a model and of a stage at once',
      edited(['  start: {', '  sft: { path: a, type: b, template: c }\n  start: {']),
      '8:3  models.sft: `sft` is the name of a stage too, so `model: sft` would have two meanings. Rename one of them. [STUDY_WRONG_VALUE]',
    ],
    [
      'that JavaScript would lose',
      edited(['  start:', '  __proto__:']),
      '8:3  __proto__: no key can have this name. The file must be YAML 1.2. [STUDY_YAML]',
    ],
  ]);
});
