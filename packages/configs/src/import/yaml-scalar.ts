import type { ImportValue } from './trainer-command.ts';

/** Who reads the file: PyYAML (ms-swift), OmegaConf (verl, which also takes `1e-5` for a number), or JSON. */
export type Reader = 'pyyaml' | 'omegaconf' | 'json';

/** A plain scalar as the trainer's own reader resolves it. The `yaml` package's YAML 1.1 differs: `1e-5`, `1:30`, `y`. */
export function resolvePlain(source: string, reader: Reader): ImportValue {
  if (reader === 'json') return JSON.parse(source) as ImportValue;
  if (/^(~|null|Null|NULL|)$/.test(source)) return null;
  if (/^(yes|Yes|YES|true|True|TRUE|on|On|ON)$/.test(source)) return true;
  if (/^(no|No|NO|false|False|FALSE|off|Off|OFF)$/.test(source)) return false;
  const whole = integer(source);
  if (whole !== undefined) return whole;
  const isFloat = floats.test(source) || (reader === 'omegaconf' && exponent.test(source));
  const number = isFloat ? Number(source.replaceAll('_', '')) : Number.NaN;
  return Number.isFinite(number) ? number : source;
}

const floats = /^(?:[-+]?\d[\d_]*\.[\d_]*(?:[eE][-+]\d+)?|\.\d[\d_]*(?:[eE][-+]\d+)?)$/;
const exponent = /^[-+]?\d[\d_]*(?:\.[\d_]*)?[eE][-+]?\d+$/;

/** Integers of YAML 1.1: also octal with a leading zero, binary, and base 60. Too large ones stay text. */
function integer(source: string): ImportValue | undefined {
  const sign = source.startsWith('-') ? -1 : 1;
  const digits = source.replace(/^[-+]/, '').replaceAll('_', '');
  if (!/^[-+]?[\d][\w:]*$/.test(source)) return undefined;
  let value: number | undefined;
  if (/^0b[01]+$/.test(digits)) value = Number.parseInt(digits.slice(2), 2);
  else if (/^0x[\da-fA-F]+$/.test(digits)) value = Number.parseInt(digits.slice(2), 16);
  else if (/^0[0-7]+$/.test(digits)) value = Number.parseInt(digits, 8);
  else if (/^(0|[1-9]\d*)$/.test(digits)) value = Number(digits);
  else if (/^[1-9]\d*(:[0-5]?\d)+$/.test(digits))
    value = digits.split(':').reduce((sum, each) => sum * 60 + Number(each), 0);
  if (value === undefined) return undefined;
  return Number.isSafeInteger(value) ? sign * value : source;
}
