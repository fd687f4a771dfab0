import type { SwiftRegistry } from '../options/option.ts';
import { registryOf } from '../options/tables.ts';

/** `also`: what else may stand in their place. */
export type KnownNames = { names: string[]; also: string };

const registers: Record<string, { of: (registry: SwiftRegistry) => string[]; also: string }> = {
  deepspeed: { of: (registry) => registry.deepspeedPresets, also: 'a path, or JSON' },
  fsdp: { of: (registry) => registry.fsdpPresets, also: 'a path, or JSON' },
  attn_impl: { of: (registry) => registry.attentions, also: 'a kernel of a hub' },
  loss_scale: {
    of: (registry) => [...registry.lossScaleStrategies, ...registry.lossScales],
    also: 'several joined by `+`, the strategy first',
  },
};

/** Names that ms-swift looks up although its parser takes any text. */
export function knownNames(option: string): KnownNames | null {
  const found = Object.hasOwn(registers, option) ? registers[option] : undefined;
  return found === undefined ? null : { names: found.of(registryOf('ms-swift')), also: found.also };
}
