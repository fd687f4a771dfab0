import type { RuleContext } from '../rules/rule.ts';
import type { SwiftStage } from '../study/stage-schemas.ts';
import { type Known, known, unknown } from './job-cost.ts';

/**
 * What a method makes of a row. `sequences`: how many one forward pass holds (chosen and rejected are two);
 * `reference`: a frozen model beside it; `forward`: passes more over each sequence, without a gradient;
 * `valueHead`: a score comes out, no logits.
 */
export type Method = { sequences: 1 | 2; reference: boolean; forward: number; valueHead: boolean };

const plain: Method = { sequences: 1, reference: false, forward: 0, valueHead: false };
const pairs: Method = { ...plain, sequences: 2 };

/** What an ms-swift method computes; those that write replies while they train are not modelled. */
export function swiftMethod({ stage, get }: RuleContext<SwiftStage>): Known<Method> {
  if (stage.kind === 'sft') return known(plain);
  // Adapters that are switched off are the reference (trl, `null_ref_context`).
  const beside = get('tuner_type') === 'full';
  switch (stage.method) {
    case 'dpo': {
      const free = get('reference_free') === true;
      return known(free ? pairs : { ...pairs, reference: beside, forward: 1 });
    }
    case 'orpo':
    case 'simpo':
    case 'cpo':
      return known(pairs);
    case 'kto':
      // A mismatched reply too, for the KL term: one pass of the policy, two of the reference.
      return known({ ...plain, reference: beside, forward: 3 });
    case 'rm':
      return known({ ...pairs, valueHead: true });
    default:
      return unknown(`ms-swift's \`${stage.method}\` writes replies while it trains, which is not modelled`);
  }
}

/** A method whose steps are not counted in rows of the data alone. */
export const samples = (stage: SwiftStage): boolean =>
  stage.kind === 'rlhf' && ['ppo', 'grpo'].includes(stage.method);
