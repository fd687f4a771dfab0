import { describe, expect, it } from 'vitest';
import { edited, problemsOf } from '../testing.ts';

const lr = 'actor_rollout_ref.actor.optim.lr: 3.0e-4';
const decay = 'weight_decay: 0.0';

describe('an option that the trainer lacks', () => {
  it.each([
    [
      'of ms-swift',
      edited(['warmup_ratio', 'warmup_ration']),
      '33:7  stages.sft.options.warmup_ration: ms-swift 4.6.0 has no option `warmup_ration`. Did you mean `warmup_ratio`?',
    ],
    [
      'of verl',
      edited(['optim.lr:', 'optim.rl:']),
      '48:7  stages.rl.options.actor_rollout_ref.actor.optim.rl: verl 0.9.1 has no option `actor_rollout_ref.actor.optim.rl`. Did you mean `actor_rollout_ref.actor.optim.lr`?',
    ],
    [
      'of the other trainer',
      edited([lr, 'learning_rate: 3.0e-4']),
      '48:7  stages.rl.options.learning_rate: verl 0.9.1 has no option `learning_rate`.',
    ],
    [
      "by a name of JavaScript's own",
      edited([decay, 'constructor: 1']),
      '34:7  stages.sft.options.constructor: ms-swift 4.6.0 has no option `constructor`.',
    ],
    [
      "with Hydra's plus, which ms-swift does not know",
      edited([decay, '+weight_decay: 0.0']),
      '34:7  stages.sft.options.+weight_decay: ms-swift 4.6.0 has no option `+weight_decay`. Did you mean `weight_decay`?',
    ],
    [
      'because it exists and is added all the same',
      edited([lr, `+${lr}`]),
      '48:7  stages.rl.options.+actor_rollout_ref.actor.optim.lr: `actor_rollout_ref.actor.optim.lr` exists already. Write it without the `+`.',
    ],
    [
      'because it is added to a branch that does not exist',
      edited([lr, '+actor_rollout_ref.actor.optin.x: 1']),
      '48:7  stages.rl.options.+actor_rollout_ref.actor.optin.x: verl 0.9.1 has no `actor_rollout_ref.actor.optin.x`, and refuses what it lacks there. Did you mean `actor_rollout_ref.actor.optim` or `actor_rollout_ref.actor.optim.lr`?',
    ],
    [
      'because Hydra could not add that name',
      edited([lr, '+actor_rollout_ref.actor.optim.a b: 1']),
      '48:7  stages.rl.options.+actor_rollout_ref.actor.optim.a b: `a b` is no name that Hydra can add.',
    ],
  ])('%s', (_, text, problem) => expect(problemsOf(text)).toEqual([`${problem} [STUDY_UNKNOWN_OPTION]`]));

  it('may be added to verl where a branch exists', () => {
    expect(problemsOf(edited([lr, '+actor_rollout_ref.model.override_config.x: { a: [1, null] }']))).toEqual(
      [],
    );
  });
});

describe('an option that the study says itself', () => {
  it.each([
    ['seed', 'seeds', '34:7  stages.sft.options.seed', decay],
    ['max_length', 'max_length', '34:7  stages.sft.options.max_length', decay],
    ['data.seed', 'seeds', '48:7  stages.rl.options.data.seed', lr],
    ['data.train_batch_size', 'batch.prompts', '48:7  stages.rl.options.data.train_batch_size', lr],
    ['trainer.total_epochs', 'steps or epochs', '48:7  stages.rl.options.trainer.total_epochs', lr],
  ])('%s is refused, with its word: %s', (name, word, place, from) => {
    expect(problemsOf(edited([from, `${name}: 4`]))).toEqual([
      `${place}: \`${name}\` is set by the study itself. Its word there: ${word}. [STUDY_OPTION_TAKEN]`,
    ]);
  });

  it('is refused with a plus too', () => {
    expect(problemsOf(edited([lr, '+data.seed: 4']))[0]).toContain('[STUDY_OPTION_TAKEN]');
  });
});

describe('a value of an option', () => {
  it.each([
    ['weight_decay: low', '21', '"low" where a number is expected.'],
    ['weight_decay: true', '21', 'true where a number is expected.'],
    ['weight_decay:', '20', 'an option without a value: leave it out instead.'],
    ['adalora_init_r: 1.5', '23', '1.5 where a whole number is expected.'],
    ['adalora_init_r: 12345678901234567890', '23', '12345678901234567000 where a whole number is expected.'],
    ['bf16: "true"', '13', '"true" where true or false is expected.'],
    ['acc_strategy: tokne', '21', '"tokne" is not one of its choices. Did you mean `token`?'],
    ['acc_strategy: [token]', '21', '["token"] is not one of its choices. Allowed: token, seq.'],
    ['target_modules: []', '23', 'an empty list: leave the option out instead.'],
    ['system: -x', '15', 'ms-swift would take "-x" for the name of an option.'],
    ['weight_decay: -1.0e-5', '21', 'ms-swift would take -0.00001 for the name of an option.'],
  ])('of ms-swift that does not fit: %s', (written, column, message) => {
    const name = written.split(':')[0];
    expect(problemsOf(edited([decay, written]))).toEqual([
      `34:${column}  stages.sft.options.${name}: ${message} [STUDY_OPTION_TYPE]`,
    ]);
  });

  it.each([
    ['actor_rollout_ref.actor.optim.lr: abc', '"abc" where a number is expected.'],
    ['actor_rollout_ref.actor.checkpoint: 1', '1 where a mapping is expected.'],
    ['trainer.logger: consol', '"consol" is not one of its choices. Did you mean `console`?'],
    ['actor_rollout_ref.actor.profiler.ranks: 1', '1 where a list is expected.'],
    ['data.prompt_key: "a\\nb"', '"a\\nb" has a line break, which Hydra cannot say.'],
    ['+actor_rollout_ref.model.override_config.x: { "1": a }', 'the key "1" is no name that Hydra can say.'],
  ])('of verl that does not fit: %s', (written, message) => {
    const [problem, ...others] = problemsOf(edited([lr, written]));
    expect(problem).toContain(`: ${message} [STUDY_OPTION_TYPE]`);
    expect(problem?.startsWith(`48:${7 + written.indexOf(': ') + 2}  `)).toBe(true);
    expect(others).toEqual([]);
  });

  it('may be null for verl where verl takes null', () => {
    const warmup = 'actor_rollout_ref.actor.optim.min_lr_ratio: null';
    expect(problemsOf(edited([lr, `${warmup}`]))).toEqual([]);
    const [problem] = problemsOf(edited([lr, 'actor_rollout_ref.actor.ppo_epochs: null']));
    expect(problem).toContain('null where a');
  });
});

describe('a value with its origin', () => {
  const at = '34:30  stages.sft.options.weight_decay';
  it.each([
    [
      '{ value: 0, origin: userr }',
      '34:41  stages.sft.options.weight_decay.origin: "userr" is no origin. Did you mean `user`? [STUDY_ORIGIN]',
    ],
    [
      '{ value: 0, origin: her }',
      '34:41  stages.sft.options.weight_decay.origin: "her" is no origin. Allowed: paper, repo, card, secondary, framework-default, user. [STUDY_ORIGIN]',
    ],
    [
      '{ value: 0, orign: user }',
      '34:33  stages.sft.options.weight_decay.orign: unknown key `orign`. Did you mean `origin`? [STUDY_ORIGIN]',
    ],
    [
      '{ value: 0 }',
      '34:30  stages.sft.options.weight_decay: `origin` is required. Allowed: paper, repo, card, secondary, framework-default, user. [STUDY_ORIGIN]',
    ],
    [
      '{ value: 0, origin: user, evidence: 3 }',
      '34:57  stages.sft.options.weight_decay.evidence: `evidence` is a text. [STUDY_ORIGIN]',
    ],
    ['{ value: x, origin: user }', `${at}: "x" where a number is expected. [STUDY_OPTION_TYPE]`],
  ])('%s', (written, problem) => {
    expect(problemsOf(edited([decay, `weight_decay: ${written}`]))).toEqual([problem]);
  });
});

describe('a name of several steps', () => {
  it.each([
    ['actor_rollout_ref.actor.use_kl: true', 'actor_rollout_ref.actor.use_kl_loss'],
    ['actor.use_kl_loss: true', 'actor_rollout_ref.actor.use_kl_loss'],
    ['rollout.gpu_memory_utilization: 0.5', 'actor_rollout_ref.rollout.gpu_memory_utilization'],
  ])('%s is told where it belongs', (written, right) => {
    const [problem] = problemsOf(edited([lr, written]));
    expect(problem).toContain('[STUDY_UNKNOWN_OPTION]');
    expect(problem).toContain(`\`${right}\``);
  });
});
