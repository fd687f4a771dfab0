import { parseArgs } from 'node:util';
import { TestbedError } from './errors.ts';

export type BedOptions = {
  hosts: number;
  delayMs: number | null;
  rateMbit: number | null;
  slurm: boolean;
  s3: boolean;
  direct: boolean;
};

export type Command =
  | { do: 'up'; options: BedOptions }
  | { do: 'down' | 'status' | 'help' }
  | { do: 'cut' | 'restore' | 'pause' | 'resume' | 'crash' | 'boot'; host: string }
  | { do: 'delay'; host: string; ms: number }
  | { do: 'exec'; host: string; argv: string[] };

export type Invocation = { dir: string; json: boolean; command: Command };

export const defaultDir = '/var/lib/her-testbed';

export const usage = `node infra/testbed/main.ts COMMAND [--dir DIR] [--json]

  up [--hosts N] [--delay MS] [--rate MBIT] [--slurm] [--s3] [--direct]
  down                     everything up has made is removed
  status                   what is up, and where
  exec HOST -- CMD…        run a command on a host
  cut HOST, restore HOST   take its links down, and up again
  delay HOST MS            set the one-way delay of its sshd (a bed made with --delay)
  pause HOST, resume HOST  hold all bytes to and from its sshd (a bed made with --delay)
  crash HOST, boot HOST    kill all its processes at once, and start it again with another boot id
`;

const hint = 'Run it with --help to see the commands.';

/** The command line, checked; nothing is read or done here. */
export function parseCommandLine(args: readonly string[]): Invocation {
  const { mine, after } = splitAtDashes(args);
  const { values, positionals } = read(mine);
  const dir = values.dir ?? defaultDir;
  const [name = 'help', host, ...rest] = positionals;
  const made = { dir, json: values.json ?? false };
  if (values.help) return { ...made, command: { do: 'help' } };
  if (name === 'up') {
    noMore(host, rest);
    const options = {
      hosts: whole('--hosts', values.hosts ?? '2', 1, 8),
      delayMs: values.delay === undefined ? null : whole('--delay', values.delay, 0, 10_000),
      rateMbit: values.rate === undefined ? null : whole('--rate', values.rate, 1, 100_000),
      slurm: values.slurm ?? false,
      s3: values.s3 ?? false,
      direct: values.direct ?? false,
    };
    return { ...made, command: { do: 'up', options } };
  }
  if (name === 'down' || name === 'status' || name === 'help') {
    noMore(host, rest);
    return { ...made, command: { do: name } };
  }
  if (host === undefined) throw new TestbedError('BED_USAGE', `\`${name}\` needs a host`, hint);
  if (name === 'exec') {
    if (after.length === 0) throw new TestbedError('BED_USAGE', '`exec` needs a command after `--`', hint);
    noMore(undefined, rest);
    return { ...made, command: { do: 'exec', host, argv: after } };
  }
  if (name === 'delay') {
    const [ms = '', ...more] = rest;
    noMore(undefined, more);
    return { ...made, command: { do: 'delay', host, ms: whole('MS', ms, 0, 10_000) } };
  }
  noMore(undefined, rest);
  switch (name) {
    case 'cut':
    case 'restore':
    case 'pause':
    case 'resume':
    case 'crash':
    case 'boot':
      return { ...made, command: { do: name, host } };
    default:
      throw new TestbedError('BED_USAGE', `there is no command \`${name}\``, hint);
  }
}

function read(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        dir: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        hosts: { type: 'string' },
        delay: { type: 'string' },
        rate: { type: 'string' },
        slurm: { type: 'boolean' },
        s3: { type: 'boolean' },
        direct: { type: 'boolean' },
      },
    });
  } catch (cause) {
    throw new TestbedError('BED_USAGE', cause instanceof Error ? cause.message : String(cause), hint, cause);
  }
}

function splitAtDashes(args: readonly string[]): { mine: string[]; after: string[] } {
  const at = args.indexOf('--');
  return at < 0 ? { mine: [...args], after: [] } : { mine: args.slice(0, at), after: args.slice(at + 1) };
}

function noMore(first: string | undefined, rest: readonly string[]): void {
  const word = first ?? rest[0];
  if (word !== undefined) throw new TestbedError('BED_USAGE', `\`${word}\` is one word too many`, hint);
}

function whole(name: string, text: string, least: number, most: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new TestbedError(
    'BED_USAGE',
    `${name} is a whole number from ${least} to ${most}, not \`${text}\``,
    hint,
  );
}
