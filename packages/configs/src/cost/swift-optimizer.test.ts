import { describe, expect, it } from 'vitest';
import { KNOWN_SHAPES } from '../estimate/known-shapes.ts';
import { countParameters } from '../estimate/model-shape.ts';
import { costOf, diskTerms, each, gpuTerms, P, whyOf } from './testing-costs.ts';
import { type Edit, optim, sftOption, sftWord, zero3 } from './testing-edits.ts';

describe('optimizers', () => {
  const states = (name: string, ...more: Edit[]): number =>
    each(gpuTerms(costOf('sft', optim(name), ...more))['optimizer']);

  it.each([
    ['sgd', 0],
    ['adafactor', 0.01],
    ['lion_32bit', 4],
    ['paged_adamw_32bit', 8],
    ['adamw_torch', 4],
  ])('%s keeps %d bytes a parameter beside 16-bit weights', (name, bytes) => {
    expect(states(name)).toBeCloseTo(bytes, 6);
  });

  it.each(['adamw_8bit', 'adamw_bnb_8bit', 'paged_adamw_8bit'])(
    '%s keeps two bytes, embeddings eight',
    (name) => {
      const { embedding } = countParameters(KNOWN_SHAPES['qwen3-8b']);
      const two = 2 + 8 / 256;
      expect(states(name)).toBeCloseTo((two * (P - embedding) + 8 * embedding) / P, 6);
    },
  );

  it('SGD with a momentum keeps it, and under ZeRO a copy in 32 bits stays', () => {
    expect(states('sgd', ['    save_every: 40', '    save_every: 40'], sftOptionAfter('sgd'))).toBeCloseTo(
      2,
      6,
    );
    expect(8 * states('sgd', zero3)).toBeCloseTo(4, 6);
    // A piece of a flat vector has neither rows nor columns.
    expect(8 * states('adafactor', zero3)).toBeCloseTo(8, 6);
  });

  it('decide what a checkpoint holds', () => {
    expect(each(diskTerms(costOf('sft', optim('lion_32bit')))['optimizer'])).toBeCloseTo(4, 6);
    expect(each(diskTerms(costOf('sft', optim('sgd'), zero3))['ZeRO shards'])).toBeCloseTo(4, 6);
    expect(diskTerms(costOf('sft', optim('sgd')))['optimizer']).toBeUndefined();
  });

  it.each(['galore_adamw', 'apollo_adamw', 'lomo', 'schedule_free_adamw'])(
    '%s: unknown is said, for memory and checkpoints; the FLOPs are known',
    (name) => {
      const cost = costOf('sft', optim(name));
      expect(whyOf(cost.memory)).toBe(`what \`optim: ${name}\` keeps for each parameter is not known`);
      expect(whyOf(cost.disk)).toBe(whyOf(cost.memory));
      expect(cost.compute.known).toBe(true);
      expect(costOf('sft', optim(name), sftWord('resumable: false')).disk.known).toBe(true);
    },
  );

  it('muon is not guessed, and neither is another optimizer on the host', () => {
    expect(whyOf(costOf('sft', sftOption('optimizer: muon')).memory)).toContain('optimizer: muon');
    const host = sftWord('parallel: { sharding: zero3, offload: all }');
    expect(whyOf(costOf('sft', optim('sgd'), host).memory)).toContain('on the host');
  });
});

/** `optim_args` beside an optimizer that has been put in place. */
function sftOptionAfter(name: string): Edit {
  return [`optim: ${name}`, `optim: ${name}\n      optim_args: momentum=0.9`];
}
