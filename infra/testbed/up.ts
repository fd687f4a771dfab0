import { chmod } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { removeDeadBeds, taggedBeds } from './dead-beds.ts';
import { down } from './down.ts';
import { TestbedError } from './errors.ts';
import { boot } from './hosts.ts';
import { type Marker, machineBootId, readMarker, writeMarker } from './marker.ts';
import { networkCommands } from './network-commands.ts';
import type { BedOptions } from './options.ts';
import { newTag, takenBy } from './ownership.ts';
import { checkParents, type Places } from './places.ts';
import { prepare } from './prepare.ts';
import { processId } from './processes.ts';
import { install, programs } from './programs.ts';
import { untilReady } from './ready.ts';
import { run } from './run.ts';
import { isWhole } from './status.ts';
import { callerLinksOf, namespacesOf, topologyOf } from './topology.ts';

/** Brings a bed up; one that is up with these options is left as it is, what is left of another is removed first. */
export async function up(options: BedOptions, places: Places, say: (text: string) => void): Promise<void> {
  const before = await readMarker(places);
  if (before !== null) {
    if (await isWhole(before)) {
      if (isDeepStrictEqual(before.options, options)) return;
      throw new TestbedError(
        'BED_OTHER_OPTIONS',
        `the bed in ${places.dir} is up with other options`,
        'Run `down` first, or use another folder once this one is down.',
      );
    }
    say('A bed was left here that is not whole; it is removed first.');
    for (const what of (await down(places)).left) say(`Left alone: ${what}.`);
  }
  await checkParents(places.dir);
  await install(options, say);
  const made = await programs(options, say);
  for (const what of await removeDeadBeds(say)) say(`Left alone: ${what}.`);
  const topology = topologyOf(options);
  const taken = await takenBy(topology);
  if (taken.length > 0)
    throw new TestbedError(
      'BED_NAME_TAKEN',
      `in use already, and not by this bed: ${taken.join(', ')}`,
      await whose(),
    );

  const maker = await processId(process.pid);
  if (maker === null) throw new Error('this process has no entry in /proc');
  let marker: Marker = {
    format: 1,
    tag: newTag(places.dir),
    bootId: await machineBootId(),
    maker,
    state: 'making',
    options,
    namespaces: namespacesOf(topology),
    links: callerLinksOf(topology),
    processes: {},
  };
  // One write after the other: hosts start side by side, and each adds its own processes.
  let writing = Promise.resolve();
  const note = (change: (old: Marker) => Marker): Promise<void> => {
    marker = change(marker);
    const now = marker;
    writing = writing.then(() => writeMarker(places, now));
    return writing;
  };
  await note((same) => same);
  await chmod(places.dir, 0o755);
  await prepare(topology, places, made);
  for (const argv of networkCommands(topology, marker.tag)) await run(argv);
  await Promise.all(
    topology.hosts.map((host) =>
      boot(host, places, marker.tag, (waiter, init) =>
        note((old) => ({ ...old, processes: { ...old.processes, [host.name]: { waiter, init } } })),
      ),
    ),
  );
  await untilReady(topology, places);
  await note((old) => ({ ...old, state: 'up' }));
}

async function whose(): Promise<string> {
  const [bed] = await taggedBeds();
  return bed === undefined
    ? 'No bed has made them: remove them, or rename them.'
    : `It is the bed in ${bed.folder}, which is running: \`down --dir ${bed.folder}\` removes it.`;
}
