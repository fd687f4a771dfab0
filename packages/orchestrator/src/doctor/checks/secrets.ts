import { stat } from 'node:fs/promises';
import type { Plan } from '@her/configs';
import { execa } from 'execa';
import { systemWords } from '../../system-error.ts';
import { type Finding, type Found, fail, ok, warn } from '../finding.ts';

type Source = Plan['secrets'][string];

/** Seconds for a command that prints a secret: one that asks a person would wait for ever. */
const patience = 10;

/** Whether each secret can be had. No value is kept or shown. */
export async function secretFindings(
  secrets: Plan['secrets'],
  locate: (path: string) => string,
): Promise<Finding[]> {
  const asked = Object.entries(secrets).map(async ([name, source]): Promise<Finding> => {
    const { what, ...found } = await foundOf(source, locate);
    return { check: 'secrets', node: null, what: `${name}: ${what}`, ...found };
  });
  return Promise.all(asked);
}

async function foundOf(source: Source, locate: (path: string) => string): Promise<Found> {
  if ('env' in source)
    return process.env[source.env]
      ? ok(`in the environment (${source.env})`)
      : fail(`${source.env} is not set here`, `export ${source.env}=… before \`her run\`.`);
  if ('file' in source) return fileFound(source.file, locate(source.file));
  const [program = '', ...args] = source.command;
  const done = await execa(program, args, {
    reject: false,
    stdin: 'ignore',
    stderr: 'ignore',
    timeout: patience * 1000,
  });
  if (done.timedOut)
    return fail(`\`${program}\` did not end within ${patience} s`, 'Unlock it first, by hand.');
  if (done.exitCode !== 0)
    return fail(`\`${program}\` ended with ${done.exitCode ?? 'an error'}`, 'Try the command by hand.');
  return done.stdout.trim() === ''
    ? fail(`\`${program}\` printed nothing`, 'Try the command by hand.')
    : ok(`by \`${program}\``);
}

async function fileFound(written: string, path: string): Promise<Found> {
  try {
    const { mode, size } = await stat(path);
    if (size === 0) return fail(`${written} is empty`, 'Write the value into it.');
    return (mode & 0o077) === 0
      ? ok(`in ${written}`)
      : warn(`${written} may be read by others`, `chmod 600 ${written}`);
  } catch (error) {
    return fail(`${written}: ${systemWords(error)}`, 'Name a file that is there.');
  }
}
