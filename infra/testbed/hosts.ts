import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestbedError } from './errors.ts';
import type { Argv } from './network-commands.ts';
import { tagVariable } from './ownership.ts';
import type { Places } from './places.ts';
import { isAlive, type ProcessId, processId } from './processes.ts';
import type { Host } from './topology.ts';

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Starts a host that is off; `note` is called as soon as there is a process, before it is known to be well. */
export async function boot(
  host: Host,
  places: Places,
  tag: string,
  note: (waiter: ProcessId, init: ProcessId | null) => Promise<void>,
): Promise<void> {
  const own = places.host(host.name);
  await rm(join(own, 'init.pid'), { force: true });
  await writeFile(join(own, 'boot_id'), `${randomUUID()}\n`);
  const log = await open(join(own, 'log', 'init.log'), 'a');
  const child = spawn(
    'nsenter',
    [
      `--net=/run/netns/${host.namespace}`,
      ...['unshare', '--mount', '--uts', '--ipc', '--pid', '--fork', '--kill-child'],
      ...['/bin/bash', join(own, 'init.sh')],
    ],
    {
      cwd: '/',
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      // Nothing of the caller's environment reaches a host.
      env: { PATH: path, LANG: 'C.UTF-8', [tagVariable]: tag },
    },
  );
  await once(child, 'spawn');
  child.unref();
  await log.close();
  const waiter = child.pid === undefined ? null : await processId(child.pid);
  if (waiter === null) throw notReady(host, places);
  await note(waiter, null);
  await note(waiter, await initOf(host, places, waiter));
}

/** A command as it runs on a host, whose init is this process. */
export function onHost(init: ProcessId, places: Places, argv: readonly string[]): Argv {
  const home = join(places.self, 'home', 'root');
  const enter = ['--target', String(init.pid), '--mount', '--uts', '--ipc', '--net', '--pid'];
  const environment = [`HOME=${home}`, `PATH=${path}`, 'LANG=C.UTF-8', 'USER=root', 'TERM=xterm'];
  return ['nsenter', ...enter, 'env', '-i', '-C', home, ...environment, ...argv];
}

async function initOf(host: Host, places: Places, waiter: ProcessId): Promise<ProcessId> {
  for (let tries = 0; tries < 200; tries += 1) {
    const text = await readFile(join(places.host(host.name), 'init.pid'), 'utf8').catch(() => '');
    const init = text === '' ? null : await processId(Number(text));
    if (init !== null) return init;
    if (!(await isAlive(waiter))) break;
    await sleep(50);
  }
  throw notReady(host, places);
}

function notReady({ name }: Host, places: Places): TestbedError {
  return new TestbedError(
    'BED_NOT_READY',
    `${name} did not start`,
    `See ${join(places.host(name), 'log', 'init.log')}, then run \`down\`.`,
  );
}
