import type { Options, OptionValue, Setting } from '../study/settings.ts';
import type { StageContext } from './stage-context.ts';

/** Values that the study says in its own words; `key`: where, in its stage; `from`: where else its origin is told. */
export type StudyWords = Record<string, { value: OptionValue; key: string; from?: readonly string[] }>;
/** Values that this program chooses, with the reason. A study's `options` can say otherwise. */
export type OwnChoices = Record<string, { value: OptionValue; why: string }>;
export type Settings = Record<string, Setting<OptionValue>>;

/**
 * The settings of one trainer's file, each with its origin. Three layers, the later one wins:
 * our own choices, what the study says in its own words, the study's `options`.
 */
export function mergeSettings(
  context: Pick<StageContext, 'stageName' | 'told'>,
  layers: { her: OwnChoices; study: StudyWords; options: Options },
): Settings {
  const stage = ['stages', context.stageName];
  const settings: Settings = {};
  for (const [name, { value, why }] of Object.entries(layers.her))
    settings[name] = { value, origin: 'her', evidence: why };
  for (const [name, { value, key, from }] of Object.entries(layers.study)) {
    const path = from ?? (key === 'seeds' ? ['seeds'] : [...stage, ...key.split('.')]);
    settings[name] = { value, ...context.told(path), key };
  }
  for (const [name, value] of Object.entries(layers.options)) {
    const key = `options.${name}`;
    settings[name] = { value, ...context.told([...stage, 'options', name]), key };
  }
  return settings;
}

export function plainValues(settings: Settings): Record<string, OptionValue> {
  return Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]));
}
