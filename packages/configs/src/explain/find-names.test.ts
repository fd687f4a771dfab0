import { describe, expect, it } from 'vitest';
import { bareName, findNames, namesNear } from './find-names.ts';

const names = ['learning_rate', 'a.rollout.n', 'b.rollout.n', 'a.actor.clip_ratio_high', 'data.seed', 'seed'];

describe('a name', () => {
  it.each([
    ['--learning-rate', ['learning_rate'], []],
    ['LEARNING_RATE', ['learning_rate'], []],
    ['learning_rate=1e-5', ['learning_rate'], []],
    ['+a.rollout.n', ['a.rollout.n'], []],
    ['++a.rollout.n=8', ['a.rollout.n'], []],
    ['rollout.n', [], ['a.rollout.n', 'b.rollout.n']],
    ['clip_ratio_high', [], ['a.actor.clip_ratio_high']],
    ['ratio_high', [], []],
    ['seed', ['seed'], ['data.seed']],
    ['', [], []],
  ])('%s is found as itself, or as the end of another', (written, exact, tails) => {
    expect(findNames(written, names)).toEqual({ exact, tails });
  });

  it('loses what a command line puts around it and nothing else', () => {
    expect(['--a-b', '+a.b', '~a.b', ' a ', 'a-b'].map(bareName)).toEqual(['a-b', 'a.b', 'a.b', 'a', 'a-b']);
  });
});

describe('the names near a wrong one', () => {
  it.each([
    ['learnin_rate', ['learning_rate']],
    ['rolout.n', ['a.rollout.n', 'b.rollout.n']],
    ['clip_ratio_hihg', ['a.actor.clip_ratio_high']],
    ['ratio_high', ['a.actor.clip_ratio_high']],
    ['nothing_like_it', []],
  ])('%s', (written, near) => {
    expect(namesNear(written, names)).toEqual(near);
  });

  it('are few', () => {
    const many = Array.from({ length: 40 }, (_, i) => `branch${i}.enable`);
    expect(namesNear('enabel', many)).toHaveLength(5);
  });
});
