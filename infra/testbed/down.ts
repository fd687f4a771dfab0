import { rm } from 'node:fs/promises';
import { TestbedError } from './errors.ts';
import { type Marker, machineBootId, readMarker } from './marker.ts';
import { isOurs, linkAlias, namespaces, processesIn, taggedProcesses } from './ownership.ts';
import type { Places } from './places.ts';
import { isAlive, kill } from './processes.ts';
import { run } from './run.ts';

export type Removed = {
  /** False where there was no bed. */
  was: boolean;
  /** What has a name of the bed's or sits in a namespace of it, and is somebody else's: it was left alone. */
  left: string[];
};

/** Removes all that the marker claims and that is still the bed's own. */
export async function down(places: Places): Promise<Removed> {
  const marker = await readMarker(places);
  if (marker === null) return { was: false, left: [] };
  await refuseWhileMade(marker);
  const left = (await machineBootId()) === marker.bootId ? await removeClaimed(marker) : [];
  await rm(places.dir, { recursive: true, force: true });
  return { was: true, left };
}

async function refuseWhileMade({ state, maker }: Marker): Promise<void> {
  if (state !== 'making' || maker.pid === process.pid || !(await isAlive(maker))) return;
  throw new TestbedError(
    'BED_BUSY',
    `process ${maker.pid} is still bringing this bed up`,
    'Wait for it, or end it first.',
  );
}

/** Ends the processes of a bed, and removes its links and namespaces; what is another's is returned. */
export async function removeClaimed(
  marker: Pick<Marker, 'tag' | 'state' | 'namespaces' | 'links' | 'processes'>,
): Promise<string[]> {
  const noted = Object.values(marker.processes).flatMap(({ waiter, init }) =>
    init ? [init, waiter] : [waiter],
  );
  for (const target of noted) await kill(target);
  for (const target of await taggedProcesses(marker.tag)) await kill(target);

  const left: string[] = [];
  for (const name of marker.links) {
    const alias = await linkAlias(name);
    if (alias === null) continue;
    if (isOurs(alias, marker)) await run(['ip', 'link', 'delete', name]);
    else left.push(`the link ${name}, which this bed did not make`);
  }
  const there = new Set(await namespaces());
  for (const name of marker.namespaces.filter((name) => there.has(name))) {
    const alias = await linkAlias('lo', name);
    if (alias === null || !isOurs(alias, marker)) {
      left.push(`the network namespace ${name}, which this bed did not make`);
      continue;
    }
    for (const pid of await processesIn(name))
      left.push(`process ${pid} in ${name}, which this bed did not start; its network is gone`);
    await run(['ip', 'netns', 'delete', name]);
  }
  return left;
}
