import { TestbedError } from './errors.ts';
import { type Marker, machineBootId, readMarker } from './marker.ts';
import { linkAlias, namespaces } from './ownership.ts';
import type { Places } from './places.ts';
import { isAlive, type ProcessId } from './processes.ts';
import type { HostState } from './report.ts';
import { type Host, topologyOf } from './topology.ts';

/** The marker of a bed that is up. */
export async function openBed(places: Places): Promise<Marker> {
  const marker = await readMarker(places);
  if (marker !== null && marker.state === 'up' && marker.bootId === (await machineBootId())) return marker;
  throw new TestbedError('BED_DOWN', `no bed is up in ${places.dir}`, 'Bring one up with `up`.');
}

/** Whether everything that was made is still there. */
export async function isWhole(marker: Marker): Promise<boolean> {
  if (marker.state !== 'up' || marker.bootId !== (await machineBootId())) return false;
  const there = new Set(await namespaces());
  if (!marker.namespaces.every((name) => there.has(name))) return false;
  for (const name of marker.links) if ((await linkAlias(name)) !== marker.tag) return false;
  const states = await statesOf(marker);
  return [...states.values()].every((state) => state === 'up');
}

export async function statesOf(marker: Marker): Promise<Map<string, HostState>> {
  const states = new Map<string, HostState>();
  for (const [name, { init }] of Object.entries(marker.processes))
    states.set(name, init !== null && (await isAlive(init)) ? 'up' : 'off');
  return states;
}

export function hostNamed(marker: Marker, name: string): Host {
  const { hosts } = topologyOf(marker.options);
  const found = hosts.find((host) => host.name === name);
  if (found !== undefined) return found;
  const names = hosts.map((host) => host.name).join(', ');
  throw new TestbedError('BED_NO_HOST', `there is no host \`${name}\``, `There are ${names}.`);
}

/** The init of a host that is running. */
export async function initOf(marker: Marker, { name }: Host): Promise<ProcessId> {
  const init = marker.processes[name]?.init ?? null;
  if (init !== null && (await isAlive(init))) return init;
  throw new TestbedError('BED_DOWN', `${name} is off`, `Start it with \`boot ${name}\`.`);
}
