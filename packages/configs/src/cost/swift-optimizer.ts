import { ADAM, type Optimizer, optimizerNamed } from '../estimate/optimizers.ts';
import type { RuleContext } from '../rules/rule.ts';
import { isMegatron, swiftCommand } from '../stages/swift/command.ts';
import type { SwiftStage } from '../study/stage-schemas.ts';
import { textOf } from '../study/text-of.ts';
import { type Known, known, unknown } from './job-cost.ts';
import type { Spread } from './swift-sharding.ts';

/** What an ms-swift job's optimizer keeps, where it is known. */
export function swiftOptimizer(
  { stage, get }: RuleContext<SwiftStage>,
  { sharding, offload }: Spread,
): Known<Optimizer> {
  if (isMegatron(swiftCommand(stage))) {
    const name = textOf(get('optimizer') ?? 'adam');
    if (get('use_precision_aware_optimizer') === true)
      return unknown('states of a precision-aware optimizer are not modelled');
    if (name === 'adam') return known(ADAM);
    // Megatron's SGD keeps a momentum (sgd_momentum 0.9).
    const sgd = optimizerNamed('sgd', { flat: true, momentum: true });
    return name === 'sgd' && sgd !== undefined ? known(sgd) : unmodelled('optimizer', name);
  }
  for (const option of ['use_galore', 'lisa_activated_layers'])
    if (get(option) === true || Number(get(option) ?? 0) > 0) return unmodelled(option, 'true');
  const own = textOf(get('optimizer') ?? 'default');
  // `lorap` and `multimodal` are Adam with rates of their own.
  if (!['default', 'lorap', 'multimodal'].includes(own)) return unmodelled('optimizer', own);
  const name = textOf(get('optim') ?? 'adamw_torch');
  const flat = sharding.kind.startsWith('zero');
  const momentum = /(^|[,\s])momentum\s*=\s*0*\.?0*[1-9]/.test(textOf(get('optim_args') ?? ''));
  const found = optimizerNamed(name, { flat, momentum });
  if (found === undefined) return unmodelled('optim', name);
  // DeepSpeed's host optimizer is Adam; its formulas for a host are too.
  if (offload !== 'none' && found.fixed + found.states !== 2)
    return unknown(`\`optim: ${name}\` on the host is not modelled`);
  return known(found);
}

const unmodelled = (option: string, value: string): Known<never> =>
  unknown(`what \`${option}: ${value}\` keeps for each parameter is not known`);
