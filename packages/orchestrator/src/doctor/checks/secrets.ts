import { stat } from 'node:fs/promises';
import type { Plan } from '@her/configs';
import { NoSecret, readSecret } from '../../secrets/read-secret.ts';
import { type Finding, type Found, fail, ok, warn } from '../finding.ts';

type Source = Plan['secrets'][string];

/** Seconds for a command that prints a secret: one that asks a person would wait for ever. */
const patience = 10;

/** Whether each secret can be had, read as a run reads it. No value is kept or shown. */
export async function secretFindings(
  secrets: Plan['secrets'],
  locate: (path: string) => string,
  seconds = patience,
): Promise<Finding[]> {
  const asked = Object.entries(secrets).map(async ([name, source]): Promise<Finding> => {
    const { what, ...found } = await foundOf(name, source, locate, seconds);
    return { check: 'secrets', node: null, what: `${name}: ${what}`, ...found };
  });
  return Promise.all(asked);
}

async function foundOf(
  name: string,
  source: Source,
  locate: (path: string) => string,
  seconds: number,
): Promise<Found> {
  const signal = AbortSignal.timeout(seconds * 1000);
  const say = (): void => undefined;
  try {
    await readSecret(name, source, { env: process.env, locate, say, signal });
  } catch (error) {
    if (!(error instanceof NoSecret)) throw error;
    if ('command' in source && signal.aborted)
      return fail(`\`${source.command[0]}\` did not end within ${seconds} s`, 'Unlock it first, by hand.');
    return fail(error.message, remedyOf(source));
  }
  if ('env' in source) return ok(`in the environment (${source.env})`);
  if ('command' in source) return ok(`by \`${source.command[0]}\``);
  const { mode } = await stat(locate(source.file));
  return (mode & 0o077) === 0
    ? ok(`in ${source.file}`)
    : warn(`${source.file} may be read by others`, `chmod 600 ${source.file}`);
}

function remedyOf(source: Source): string {
  if ('env' in source) return `export ${source.env}=… before \`her run\`.`;
  return 'file' in source
    ? 'Name a file that holds the value alone, and that you may read.'
    : 'Try the command by hand.';
}
