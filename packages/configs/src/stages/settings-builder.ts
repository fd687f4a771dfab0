import type { Options, OptionValue, Setting } from '../study/settings.ts';

/**
 * The settings of one trainer's file, each with its origin. Three layers, the later one wins:
 * our own choices, what the study says in its own words, the study's `options`.
 */
export function mergeSettings(layers: {
  her: Record<string, { value: OptionValue; why: string }>;
  study: Record<string, { value: OptionValue; key: string }>;
  options: Options;
}): Record<string, Setting<OptionValue>> {
  const settings: Record<string, Setting<OptionValue>> = {};
  for (const [name, { value, why }] of Object.entries(layers.her))
    settings[name] = { value, origin: 'her', evidence: why };
  for (const [name, { value, key }] of Object.entries(layers.study))
    settings[name] = { value, origin: 'user', evidence: key };
  for (const [name, setting] of Object.entries(layers.options)) settings[name] = setting;
  return settings;
}

export function plainValues(settings: Record<string, Setting<OptionValue>>): Record<string, OptionValue> {
  return Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]));
}
