import type { OptionValue } from '../study/settings.ts';

/**
 * Why a value cannot reach the trainer, whatever its option takes; undefined when it can.
 * ms-swift's launcher turns its file into command-line words; verl's overrides stand one a line, in Hydra's grammar.
 */
export function unsayable(value: OptionValue, trainer: string): string | undefined {
  return trainer === 'verl' ? unsayableInHydra(value) : unsayableAsWord(value);
}

function unsayableAsWord(value: OptionValue): string | undefined {
  if (value === null) return 'an option without a value: leave it out instead.';
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty list: leave the option out instead.';
    return value.map(unsayableAsWord).find((why) => why !== undefined);
  }
  // Python's argparse takes `-x` for an option, and knows a negative number only without an exponent.
  const taken =
    typeof value === 'string'
      ? /^-./s.test(value) && !/^-(\d+|\d*\.\d+)$/.test(value)
      : typeof value === 'number' && value < 0 && (value > -1e-4 || value <= -1e21);
  return taken ? `ms-swift would take ${JSON.stringify(value)} for the name of an option.` : undefined;
}

function unsayableInHydra(value: OptionValue): string | undefined {
  if (typeof value === 'string')
    return /[\n\r\0]/.test(value)
      ? `${JSON.stringify(value)} has a line break, which Hydra cannot say.`
      : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const key = Array.isArray(value) ? undefined : Object.keys(value).find((name) => !isHydraName(name));
  if (key !== undefined) return `the key ${JSON.stringify(key)} is no name that Hydra can say.`;
  return Object.values(value)
    .map(unsayableInHydra)
    .find((why) => why !== undefined);
}

/** A key that Hydra reads as this text, and as nothing else. */
export function isHydraName(name: string): boolean {
  return /^[A-Za-z_][\w-]*$/.test(name) && !/^(null|true|false|nan|inf)$/i.test(name);
}
