import { HerError } from '../errors.ts';

/** @throws {HerError} for an empty word where a file or a folder is to be named */
export function refuseEmpty(option: string, written: string | undefined): void {
  if (written === '') throw new HerError('ARGUMENT_INVALID', `${option} is empty and names nothing`);
}

/** @throws {HerError} for what a study cannot be called */
export function refuseNoName(option: string, written: string): void {
  if (/^[a-z][a-z0-9_-]{0,30}$/.test(written)) return;
  throw new HerError('ARGUMENT_INVALID', `${option} ${JSON.stringify(written)} is no name of a study`, {
    hint: 'A name has small letters, digits, - and _, begins with a letter, and has at most 31 of them.',
  });
}
