import { down, removeClaimed } from './down.ts';
import { TestbedError } from './errors.ts';
import { type Marker, readMarker } from './marker.ts';
import { callerLinks, folderOf, linkAlias, namespaces, processesIn, taggedProcesses } from './ownership.ts';
import { placesIn } from './places.ts';
import { isAlive } from './processes.ts';

type Tagged = { tag: string; folder: string; namespaces: string[]; links: string[] };

/** Every bed of this machine of which a link or a namespace is there, by what those say. */
export async function taggedBeds(): Promise<Tagged[]> {
  const found = new Map<string, Tagged>();
  const bedOf = (tag: string): Tagged | null => {
    const folder = folderOf(tag);
    if (folder === null) return null;
    const bed = found.get(tag) ?? { tag, folder, namespaces: [], links: [] };
    found.set(tag, bed);
    return bed;
  };
  for (const name of await namespaces()) bedOf((await linkAlias('lo', name)) ?? '')?.namespaces.push(name);
  for (const { name, alias } of await callerLinks()) bedOf(alias)?.links.push(name);
  return [...found.values()];
}

/**
 * Removes the beds whose hosts have all died, for whoever brought them up was killed or did not come back; in a bed
 * that lives, or that is being made, nothing is touched. What was another's is returned: it was left alone.
 */
export async function removeDeadBeds(say: (text: string) => void): Promise<string[]> {
  const left: string[] = [];
  for (const bed of await taggedBeds()) {
    const marker = await markerOf(bed);
    if (await lives(bed, marker)) continue;
    say(`The bed in ${bed.folder} has no process left; it is removed first.`);
    if (marker !== null) left.push(...(await down(placesIn(bed.folder))).left);
    else left.push(...(await removeClaimed({ ...bed, state: 'up', processes: {} })));
  }
  return left;
}

/** Its folder may be gone, or be another bed's by now. */
async function markerOf({ tag, folder }: Tagged): Promise<Marker | null> {
  try {
    const marker = await readMarker(placesIn(folder));
    return marker?.tag === tag ? marker : null;
  } catch (cause) {
    if (cause instanceof TestbedError && cause.code === 'BED_FOLDER') return null;
    throw cause;
  }
}

async function lives({ tag, namespaces: names }: Tagged, marker: Marker | null): Promise<boolean> {
  if (marker?.state === 'making' && (await isAlive(marker.maker))) return true;
  if ((await taggedProcesses(tag)).length > 0) return true;
  for (const name of names) if ((await processesIn(name)).length > 0) return true;
  return false;
}
