import { join } from 'node:path';
import { execa } from 'execa';
import { HerError } from '../errors.ts';
import { installation } from '../home.ts';

/** Hosts of the test bed, taken down again by `close` where this has started it. */
export type BedHosts = { hosts: string[]; sshConfig: string; close: () => Promise<void> };

type Status = {
  state: string;
  hosts: { name: string; role: string; state: string }[];
  ssh: { config: string };
};

/** The bed that is up, else a new one with as many hosts as a bed can have. */
export async function bedHosts(say: (line: string) => void): Promise<BedHosts> {
  const found = await status();
  if (found?.state === 'up') return { ...usable(found), close: async () => undefined };
  say('starting the test bed (docs/test-bed.md)');
  await bed(['up', '--hosts', '8']);
  const started = await status();
  if (started === undefined) throw new HerError('AGENT_FAILED', 'the test bed does not say what it has');
  return { ...usable(started), close: async () => void (await bed(['down'])) };
}

function usable({ hosts, ssh }: Status): { hosts: string[]; sshConfig: string } {
  const computing = hosts.filter(({ role, state }) => role === 'compute' && state === 'up');
  return { hosts: computing.map(({ name }) => name), sshConfig: ssh.config };
}

async function status(): Promise<Status | undefined> {
  const { exitCode, stdout } = await run(['status', '--json']);
  return exitCode === 0 ? (JSON.parse(stdout) as Status) : undefined;
}

async function bed(args: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await run(args);
  if (exitCode === 0) return;
  throw new HerError('AGENT_FAILED', `the test bed: ${stderr.trim()}`, {
    hint: 'Start it by hand (docs/test-bed.md), or name hosts that ssh reaches with --hosts.',
  });
}

async function run(args: readonly string[]) {
  const dir = process.env['HER_TESTBED_DIR'];
  const main = join(installation, 'infra', 'testbed', 'main.ts');
  return execa(process.execPath, [main, ...(dir === undefined ? [] : ['--dir', dir]), ...args], {
    reject: false,
  });
}
