import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bed, openBed } from './bed.ts';
import { openRunners, type Runners } from './ssh-runners.ts';

export const fingerprint = /SHA256:[A-Za-z0-9+/]{43}/;

/** The test bed by its own ssh_config, with a folder for what a file of tests writes and runners of each test. */
export type SshBed = Bed & {
  folder: string;
  runners: Runners;
  /** The whole of an ssh_config beside the bed's, which stays in force where this says nothing. */
  useConfig(...lines: string[]): Promise<void>;
  /** After each test: nothing is connected, and the bed's own ssh_config holds. */
  reset(): Promise<void>;
};

export async function openSshBed(): Promise<SshBed> {
  const bed = await openBed();
  const folder = await mkdtemp(join(tmpdir(), 'her-ssh-test-'));
  const runners = openRunners(folder);
  process.env['HER_SSH_CONFIG'] = bed.ssh.config;
  return {
    ...bed,
    folder,
    runners,
    useConfig: async (...lines) => {
      const file = join(folder, 'ssh_config');
      await writeFile(file, [...lines, 'Match all', `  Include ${bed.ssh.config}`, ''].join('\n'));
      process.env['HER_SSH_CONFIG'] = file;
    },
    reset: async () => {
      await runners.close();
      process.env['HER_SSH_CONFIG'] = bed.ssh.config;
      delete process.env['HER_SSH_PASSPHRASE_FILE'];
      delete process.env['SSH_AUTH_SOCK'];
    },
    close: async () => {
      await rm(folder, { recursive: true, force: true });
      await bed.close();
    },
  };
}
