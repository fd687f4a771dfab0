import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TestbedError } from './errors.ts';
import { boot, onHost } from './hosts.ts';
import { writeMarker } from './marker.ts';
import { linkCommands } from './network-commands.ts';
import type { Places } from './places.ts';
import { kill } from './processes.ts';
import { hand, run } from './run.ts';
import { hostNamed, initOf, openBed } from './status.ts';

export async function execOn(places: Places, name: string, argv: readonly string[]): Promise<number> {
  const marker = await openBed(places);
  const init = await initOf(marker, hostNamed(marker, name));
  return hand(onHost(init, places, argv));
}

export async function setLink(places: Places, name: string, state: 'up' | 'down'): Promise<void> {
  const host = hostNamed(await openBed(places), name);
  for (const argv of linkCommands(host, state)) await run(argv);
}

/** As if its power was cut. */
export async function crash(places: Places, name: string): Promise<void> {
  const marker = await openBed(places);
  hostNamed(marker, name);
  const { init, waiter } = marker.processes[name] ?? {};
  if (init) await kill(init);
  if (waiter) await kill(waiter);
}

export async function bootAgain(places: Places, name: string): Promise<void> {
  let marker = await openBed(places);
  const host = hostNamed(marker, name);
  await crash(places, name);
  await boot(host, places, marker.tag, async (waiter, init) => {
    marker = { ...marker, processes: { ...marker.processes, [name]: { waiter, init } } };
    await writeMarker(places, marker);
  });
}

export async function setRelay(
  places: Places,
  name: string,
  change: { delayMs: number } | { paused: boolean },
): Promise<void> {
  const host = hostNamed(await openBed(places), name);
  if (host.delayMs === null)
    throw new TestbedError(
      'BED_NO_HOST',
      `no relay stands in front of ${name}`,
      'Bring the bed up with --delay (0 will do).',
    );
  const socket = createConnection(join(places.host(name), 'relay.sock'));
  socket.end(`${JSON.stringify(change)}\n`);
  await text(socket);
}
