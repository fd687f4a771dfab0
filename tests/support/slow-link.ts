import { type ChildProcess, spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, Socket } from 'node:net';
import { join } from 'node:path';
import type { Report } from '../../infra/testbed/report.ts';
import { resolveHost } from '../../packages/orchestrator/src/ssh/resolve.ts';
import { checkout, until } from './her.ts';

const relay = join(checkout, 'infra', 'testbed', 'relay.ts');

export type SlowLink = {
  /** An ssh_config where the bed's jump host is behind the relay. */
  config: string;
  /** Holds all bytes, both ways, or lets them go on. */
  pause(paused: boolean): Promise<void>;
  /** From now on, milliseconds one way. */
  delay(ms: number): Promise<void>;
  /** Breaks what is connected; new connections are refused until `mend`. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
};

/** A way of our own to the jump host of a bed, so that nobody else's link is slowed down or cut. */
export async function openSlowLink(bed: Report, folder: string, delayMs: number): Promise<SlowLink> {
  const jump = await resolveHost('j', {}, { ...process.env, HER_SSH_CONFIG: bed.ssh.config });
  const port = await freePort();
  const control = join(folder, 'relay.sock');
  const config = join(folder, 'slow_config');
  await writeFile(
    config,
    [
      'Host j',
      '  HostName 127.0.0.1',
      `  Port ${port}`,
      `  HostKeyAlias ${jump.hostname}`,
      'Match all',
      `  Include ${bed.ssh.config}`,
      '',
    ].join('\n'),
  );
  let child: ChildProcess | undefined;
  let delay = delayMs;
  const mend = async (): Promise<void> => {
    await rm(control, { force: true });
    const argv = [relay, `127.0.0.1:${port}`, `${jump.hostname}:${jump.port}`, control, String(delay)];
    child = spawn(process.execPath, argv, { stdio: 'ignore' });
    await until('the relay', 10, async () => ((await answers(port)) ? true : undefined));
  };
  const cut = async (): Promise<void> => {
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGKILL');
    await ended;
  };
  const tell = async (state: object): Promise<void> => {
    const socket = new Socket();
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('data', () => resolve());
      socket.connect(control, () => socket.write(`${JSON.stringify(state)}\n`));
    });
    socket.destroy();
  };
  await mend();
  return {
    config,
    pause: (paused) => tell({ paused }),
    delay: async (ms) => {
      delay = ms;
      await tell({ delayMs: ms });
    },
    cut,
    mend,
    close: cut,
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = new Socket();
  try {
    return await new Promise((resolve) => {
      socket.once('error', () => resolve(false));
      socket.connect(port, '127.0.0.1', () => resolve(true));
    });
  } finally {
    socket.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
