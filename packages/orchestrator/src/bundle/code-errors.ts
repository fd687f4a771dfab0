import { HerError } from '../errors.ts';

const most = 10;

export function dirtyTree(folder: string, files: readonly string[]): HerError {
  return new HerError(
    'ARGUMENT_INVALID',
    `the code in ${folder} is not what its last commit holds: ${shortList(files)}`,
    {
      hint: 'Commit these, name them in .gitignore or .herignore, or record the difference with --allow-dirty.',
    },
  );
}

export function tooLarge(folder: string, bytes: number, cap: number, biggest: readonly string[]): HerError {
  return new HerError(
    'ARGUMENT_INVALID',
    `the code in ${folder} has ${megabytes(bytes)}, more than ${megabytes(cap)}. The biggest: ${biggest.join(', ')}`,
    { hint: 'Leave out what the jobs do not import, by .herignore; name data under `data`.' },
  );
}

export function unfit(folder: string, path: string, why: string): HerError {
  return new HerError('INPUT_UNREADABLE', `${path} of the code in ${folder} ${why}`, {
    hint: 'Put a plain file there, or leave it out by .herignore.',
  });
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function shortList(files: readonly string[]): string {
  const more = files.length > most ? ` and ${files.length - most} more` : '';
  return `${files.slice(0, most).join(', ')}${more}`;
}
