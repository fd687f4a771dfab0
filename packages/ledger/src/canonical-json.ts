import { LedgerError } from './errors.ts';

/** Deeper nesting than this is refused: it is a mistake or an attack, and a cycle ends here too. */
const MAX_DEPTH = 200;

/** From here on ECMAScript writes a number with an exponent, which no reader takes for an integer. */
const EXPONENT_FROM = 1e21;

/**
 * Canonical JSON (RFC 8785): one value, one text.
 *
 * Refuses what the text could not carry exactly: NaN, infinities, integers past ±(2^53-1) that would be
 * written in plain digits, lone surrogates, `undefined`, BigInt, symbols, functions, and objects that are
 * not plain. `-0` becomes `0`, as the RFC has it.
 *
 * @throws {LedgerError} `LEDGER_UNREPRESENTABLE`, naming the place in the value.
 */
export function canonicalize(value: unknown): string {
  return write(value, [], 0);
}

/** Whether a number survives a round trip through canonical JSON in every reader. */
export function isRepresentable(value: number): boolean {
  return Number.isFinite(value) && !(Number.isInteger(value) && isAmbiguousInteger(value));
}

function isAmbiguousInteger(value: number): boolean {
  const size = Math.abs(value);
  return size > Number.MAX_SAFE_INTEGER && size < EXPONENT_FROM;
}

function write(value: unknown, path: (string | number)[], depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value, path);
    case 'number':
      return writeNumber(value, path);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth >= MAX_DEPTH)
        refuse(path.slice(0, 8), `is nested more than ${MAX_DEPTH} deep, or contains itself`);
      return Array.isArray(value) ? writeArray(value, path, depth) : writeObject(value, path, depth);
    default:
      return refuse(path, `is ${typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`}`);
  }
}

function writeString(value: string, path: (string | number)[]): string {
  if (!value.isWellFormed()) refuse(path, 'has a lone surrogate');
  return JSON.stringify(value);
}

function writeNumber(value: number, path: (string | number)[]): string {
  if (!Number.isFinite(value)) refuse(path, `is ${value}`);
  if (isAmbiguousInteger(value) && Number.isInteger(value))
    refuse(path, `is an integer past 2^53-1 (${value})`);
  return value === 0 ? '0' : String(value);
}

function writeArray(value: unknown[], path: (string | number)[], depth: number): string {
  let text = '[';
  for (let index = 0; index < value.length; index += 1) {
    if (index > 0) text += ',';
    path.push(index);
    text += write(value[index], path, depth + 1);
    path.pop();
  }
  return `${text}]`;
}

function writeObject(value: object, path: (string | number)[], depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuse(path, 'is not a plain object');
  if (Object.getOwnPropertySymbols(value).length > 0) refuse(path, 'has a symbol for a key');
  let text = '{';
  // The default order of `sort` is by UTF-16 code units, which is the order the RFC asks for.
  for (const key of Object.keys(value).sort()) {
    if (text.length > 1) text += ',';
    path.push(key);
    text += writeKey(key, path) + write((value as Record<string, unknown>)[key], path, depth + 1);
    path.pop();
  }
  return `${text}}`;
}

/** Keys as they are written, with their colon: the same few come again and again. */
const writtenKeys = new Map<string, string>();
const mostKeys = 4096;

function writeKey(key: string, path: (string | number)[]): string {
  const known = writtenKeys.get(key);
  if (known !== undefined) return known;
  const written = `${writeString(key, path)}:`;
  if (writtenKeys.size < mostKeys && key.length <= 64) writtenKeys.set(key, written);
  return written;
}

function refuse(path: (string | number)[], what: string): never {
  const place = path.length === 0 ? 'the value' : path.map((part) => JSON.stringify(part)).join('.');
  throw new LedgerError('LEDGER_UNREPRESENTABLE', `${place} ${what}, which JSON cannot carry exactly`, {
    hint: 'spell it as a string, or leave the field out',
  });
}
