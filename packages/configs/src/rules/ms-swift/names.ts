import { registryOf } from '../../options/tables.ts';
import { suggestName } from '../../study/nearest.ts';
import type { SwiftStage } from '../../study/stage-schemas.ts';
import type { Broken, RuleContext } from '../rule.ts';

type Context = RuleContext<SwiftStage>;

/** ms-swift cannot tell from the weights which of several models they are. */
export function unsaidTraits({ get, stage }: Context): Broken[] {
  return (['model_type', 'template'] as const)
    .filter((option) => get(option) === '')
    .map((option) => ({
      option,
      message: `ms-swift must be told the ${option} of \`${stage.model}\`.`,
      hint: `Write \`${option === 'model_type' ? 'type' : 'template'}\` in \`models\`.`,
    }));
}

export function unknownNames(context: Context): Broken[] {
  const { get } = context;
  const registry = registryOf('ms-swift', '4.6.0');
  const looked: [option: string, valid: readonly string[], open: RegExp][] = [
    ['template', registry.templates, /^$/],
    ['model_type', Object.keys(registry.modelTypes), /^$/],
    // A path or JSON may stand there.
    ['deepspeed', registry.deepspeedPresets, /[/{.]/],
    // A kernel of a hub may stand there.
    ['attn_impl', registry.attentions, /[/]/],
    ['lr_scheduler_type', registry.lrSchedulers, /^$/],
  ];
  return looked.flatMap(([option, valid, open]) => {
    const value = get(option);
    if (
      typeof value !== 'string' ||
      value === '' ||
      valid.includes(value) ||
      open.test(value) ||
      !(option in context.settings)
    )
      return [];
    return [{ option, message: `ms-swift has no ${option} \`${value}\`.`, hint: suggestName(value, valid) }];
  });
}

/** A strategy, or scales, or both, joined by `+`. */
export function unknownLossScale({ get, settings }: Context): Broken[] {
  const value = get('loss_scale');
  if (typeof value !== 'string' || settings['loss_scale'] === undefined) return [];
  const { lossScaleStrategies, lossScales } = registryOf('ms-swift', '4.6.0');
  const valid = [...lossScaleStrategies, ...lossScales];
  return value
    .split('+')
    .filter((part) => !valid.includes(part))
    .map((part) => ({
      option: 'loss_scale',
      message: `ms-swift has no loss scale \`${part}\`.`,
      hint: suggestName(part, valid),
    }));
}
