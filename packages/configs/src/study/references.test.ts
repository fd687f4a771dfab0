import { describe, expect, it } from 'vitest';
import { edited, problemsOf, studyText } from '../testing.ts';

describe('a name that leads nowhere', () => {
  it.each([
    {
      what: 'a model',
      text: edited(['model: start', 'model: strat']),
      problem: '24:12  stages.sft.model: no model or trained stage is named `strat`. Did you mean `start`?',
    },
    {
      what: 'a trained stage, swapped letters in a short name',
      text: edited(['[start, sft, rl]', '[start, sft, lr]']),
      problem: '53:26  stages.evaluate.models.2: no model or trained stage is named `lr`. Did you mean `rl`?',
    },
    {
      what: 'data',
      text: edited(['data: heldout', 'data: tests']),
      problem: '54:11  stages.evaluate.data: no data is named `tests`. Allowed: sft, rl, heldout.',
    },
    {
      what: 'prompts',
      text: edited(['prompts: rl\n', 'prompts: r\n']),
      problem: '41:14  stages.rl.prompts: no data is named `r`. Did you mean `rl`?',
    },
    {
      what: 'a stage whose output is used',
      text: edited(['prepare.model', 'prepar.model']),
      problem: '8:20  models.start.output: no stage is named `prepar`. Did you mean `prepare`?',
    },
    {
      what: 'an output',
      text: edited(['prepare.rl', 'prepare.rll']),
      problem: '11:17  data.rl.output: stage `prepare` (prepare) has no output `rll`. Did you mean `rl`?',
    },
    {
      what: 'an output of a stage that has none',
      text: edited(['prepare.heldout', 'evaluate.scores']),
      problem:
        '12:22  data.heldout.output: stage `evaluate` (evaluate) has no output `scores`. Nothing is defined there.',
    },
    {
      what: 'the stage that is measured',
      text: edited(['of: evaluate', 'of: evalaute']),
      problem: '59:39  measure.primary.of: no evaluate stage is named `evalaute`. Did you mean `evaluate`?',
    },
    {
      what: 'a stage that measures nothing',
      text: edited(['of: evaluate', 'of: sft']),
      problem: '59:39  measure.primary.of: no evaluate stage is named `sft`. Allowed: evaluate.',
    },
    {
      what: "a word of JavaScript's own",
      text: edited(['model: start', 'model: constructor']),
      problem:
        '24:12  stages.sft.model: no model or trained stage is named `constructor`. Allowed: start, sft, rl.',
    },
    {
      what: "a stage of JavaScript's own",
      text: edited(['prepare.model', 'constructor.model']),
      problem:
        '8:20  models.start.output: no stage is named `constructor`. Allowed: prepare, sft, rl, evaluate.',
    },
  ])('$what', ({ text, problem }) => {
    // The broken output of `evaluate` closes a circle of stages too, which is another mistake.
    expect(problemsOf(text).filter((line) => !line.includes('STUDY_CYCLE'))).toEqual([
      `${problem} [STUDY_UNKNOWN_NAME]`,
    ]);
  });

  it('is not a file that is missing', () => {
    const text = edited(['{ output: prepare.rl }', '{ path: ./rl.parquet }']);
    expect(problemsOf(text)).toEqual([]);
    expect(problemsOf(text, (path) => path !== './rl.parquet')).toEqual([
      '11:15  data.rl.path: no such file or folder: ./rl.parquet. Paths are taken from the folder that the study file is in. [STUDY_MISSING_FILE]',
    ]);
  });
});

describe('a trainer without a version', () => {
  it('is told once, whichever stages need it', () => {
    expect(problemsOf(edited(['ms-swift: 4.6.0, ', '']))).toEqual([
      '4:1  trainers.ms-swift: stages `prepare`, `sft`, `evaluate` run on ms-swift, and `trainers` pins no version of it. Add it to `trainers`. [STUDY_MISSING_KEY]',
    ]);
    expect(problemsOf(edited([', verl: 0.9.1', '']))).toEqual([
      '4:1  trainers.verl: stage `rl` runs on verl, and `trainers` pins no version of it. Add it to `trainers`. [STUDY_MISSING_KEY]',
    ]);
  });
});

describe('a path or an output', () => {
  const one = 'give one of `path`, `output`, `hub`. [STUDY_WRONG_VALUE]';
  it.each([
    ['both', '{ output: prepare.sft, path: x }', `10:8  data.sft: ${one}`],
    ['neither', '{}', `10:8  data.sft: ${one}`],
    [
      'no output',
      '{ output: prepare }',
      "10:18  data.sft.output: a stage's output: stage.output. [STUDY_WRONG_VALUE]",
    ],
  ])('given as %s is one mistake', (_, written, problem) => {
    expect(problemsOf(edited(['{ output: prepare.sft }', written]))).toEqual([problem]);
  });
});

describe('stages that wait for each other', () => {
  const hint = 'One of them must start from something that none of the others makes. [STUDY_CYCLE]';
  it('are named in their order', () => {
    expect(problemsOf(edited(['model: start', 'model: rl']))).toEqual([
      `22:3  stages.sft: stages wait for each other: sft → rl → sft. ${hint}`,
    ]);
  });

  it('may be one stage', () => {
    expect(problemsOf(edited(['model: start', 'model: sft']))).toEqual([
      `22:3  stages.sft: stages wait for each other: sft → sft. ${hint}`,
    ]);
  });
});

describe('numbers that do not fit together', () => {
  it.each([
    [
      'a global batch that devices cannot share',
      edited(['global: 16', 'global: 15']),
      '27:22  stages.sft.batch.global: batch.global / batch.per_device: 15 is not a multiple of 16. [STUDY_ARITHMETIC]',
    ],
    [
      'prompts that mini-batches cannot share',
      edited(['prompts: 16', 'prompts: 15']),
      '44:23  stages.rl.batch.prompts: batch.prompts / batch.mini: 15 is not a multiple of 8. [STUDY_ARITHMETIC]',
    ],
    [
      'replies that micro-batches cannot share',
      edited(['micro_per_device: 16', 'micro_per_device: 15']),
      '44:66  stages.rl.batch.micro_per_device: replies of a mini-batch / batch.micro_per_device: 64 is not a multiple of 15. [STUDY_ARITHMETIC]',
    ],
    [
      'a stage larger than its target',
      edited(['max_length: 512', 'max_length: 512\n    needs: { cores: 4, memory_gb: 99 }']),
      '22:3  stages.sft: the stage needs 4 cores and 99 GB; a node of the target has 2 and 12. Raise `target` or lower `needs`. [STUDY_ARITHMETIC]',
    ],
  ])('%s', (_, text, problem) => expect(problemsOf(text)).toEqual([problem]));

  it('are not judged where one of them is wrong by itself', () => {
    expect(problemsOf(edited(['mini: 8', 'mini: x'], ['global: 16', 'global: 0']))).toHaveLength(2);
    expect(problemsOf(edited(['cores: 2', 'cores: x'], ['memory_gb: 12', 'memory_gb: -1']))).toHaveLength(2);
  });
});

describe('many mistakes at once', () => {
  it('are all told, in the order of the file, and nothing that follows from them', () => {
    const text = edited(
      ['[11, 23]', '[11, 11]'],
      ['cores: 2, memory_gb: 12', 'cores: none, memory_gb: 12'],
      ['{ output: prepare.rl }', '{ path: ./x }'],
      ['epochs: 3', 'epochs: three'],
      ['max_length: 512', 'max_lenght: 512'],
      ['optim: adamw', 'optm: adamw'],
      ['kind: rl', 'kind: lr'],
      ['data: heldout', 'data: heldotu'],
      ['metric: well_formed', 'metric: well'],
    );
    const found = problemsOf(text, () => false);
    expect(found.map((line) => line.split(':  ')[0]?.split(': ')[0])).toEqual([
      '3:13  seeds.1',
      '5:44  target.cores',
      '11:15  data.rl.path',
      '26:13  stages.sft.epochs',
      '28:5  stages.sft.max_lenght',
      '35:7  stages.sft.options.optm',
      '38:11  stages.rl.kind',
      '54:11  stages.evaluate.data',
      '59:22  measure.primary.metric',
    ]);
  });

  it('leave whatever rests on a broken part alone', () => {
    const broken = studyText.replace(/stages:[\s\S]*\nmeasure/, 'stages: []\nmeasure');
    expect(problemsOf(broken)).toEqual([
      '14:9  stages: a list where a mapping is expected. [STUDY_WRONG_TYPE]',
    ]);
    expect(problemsOf(edited(['kind: evaluate', 'kind: evalute']))).toHaveLength(1);
    expect(problemsOf(edited(['kind: prepare', 'kind: perpare']))).toHaveLength(1);
    expect(problemsOf(edited(['ms-swift: 4.6.0', 'ms-swfit: 4.6.0']))).toHaveLength(1);
    expect(problemsOf(edited(['models: [start, sft, rl]', 'models: start']))).toHaveLength(1);
  });
});
