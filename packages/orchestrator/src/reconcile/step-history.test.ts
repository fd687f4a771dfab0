import { expect, test } from 'vitest';
import { StepHistory } from './step-history.ts';

function logged(step: number, values: Record<string, number> = { loss: step }) {
  return { step, maxSteps: null, values };
}

test('step 1, the steps around checkpoints and the latest ones are remembered, the others are not', () => {
  const history = new StepHistory();
  for (let step = 1; step <= 10_000; step += 1) {
    history.add(logged(step));
    // Its hashing took a while: the entry comes a hundred steps later.
    if (step === 2_100) history.keepAround(2_000);
  }
  for (const step of [1, 2_000, 2_001, 9_000, 10_000])
    expect(history.get(step)?.values).toEqual({ loss: step });
  for (const step of [2, 1_999, 2_002, 7_000]) expect(history.get(step)).toBeUndefined();
});

test('the step after a checkpoint is kept also when it is logged later', () => {
  const history = new StepHistory();
  history.add(logged(50));
  history.keepAround(50);
  for (let step = 51; step <= 5_000; step += 1) history.add(logged(step));
  expect(history.get(50)?.values).toEqual({ loss: 50 });
  expect(history.get(51)?.values).toEqual({ loss: 51 });
});

test('what several entries tell of one step is put together, the last one winning', () => {
  const history = new StepHistory();
  history.add(logged(3, { loss: 2, learning_rate: 1 }));
  expect(history.add(logged(3, { loss: 1 })).values).toEqual({ loss: 1, learning_rate: 1 });
  expect(history.get(3)?.values).toEqual({ loss: 1, learning_rate: 1 });
});

test('of a step only what a proof may look at is remembered, for both trainers', () => {
  const history = new StepHistory();
  history.add(logged(1, { loss: 2, grad_norm: 1, learning_rate: 3, epoch: 4, 'memory(GiB)': 21 }));
  history.add(logged(2, { 'actor/lr': 5, 'actor/entropy': 6, 'training/epoch': 7 }));
  expect(history.get(1)?.values).toEqual({ loss: 2, learning_rate: 3, epoch: 4 });
  expect(history.get(2)?.values).toEqual({ 'actor/lr': 5, 'training/epoch': 7 });
});
