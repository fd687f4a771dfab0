import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { TestbedError } from './errors.ts';
import type { BedOptions } from './options.ts';
import type { Places } from './places.ts';
import type { ProcessId } from './processes.ts';

/** What a bed has made, or is about to make: it is written before the thing itself. */
export type Marker = {
  format: 1;
  /** On every link and namespace that is this bed's. */
  tag: string;
  /** After a reboot nothing of the bed is left but its folder. */
  bootId: string;
  maker: ProcessId;
  state: 'making' | 'up';
  options: BedOptions;
  namespaces: string[];
  links: string[];
  /** Per host: the process that waits for its init, and the init. */
  processes: Record<string, { waiter: ProcessId; init: ProcessId | null }>;
};

export async function readMarker({ dir, marker }: Places): Promise<Marker | null> {
  const text = await readFile(marker, 'utf8').catch(async (cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    const found = await readdir(dir).catch(() => []);
    if (found.length === 0) return null;
    throw new TestbedError(
      'BED_FOLDER',
      `${dir} is not empty and was not made by the test bed`,
      'Name another folder with --dir, or remove this one yourself.',
    );
  });
  if (text === null) return null;
  const read: unknown = JSON.parse(text);
  if (isMarker(read)) return read;
  throw new TestbedError(
    'BED_FOLDER',
    `${marker} is no marker of this test bed`,
    'Remove the folder yourself.',
  );
}

export async function writeMarker({ dir, marker }: Places, value: Marker): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o755 });
  await writeFile(`${marker}.part`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o644 });
  await rename(`${marker}.part`, marker);
}

export async function machineBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

function isMarker(value: unknown): value is Marker {
  return (
    typeof value === 'object' &&
    value !== null &&
    'format' in value &&
    value.format === 1 &&
    'tag' in value &&
    typeof value.tag === 'string' &&
    value.tag.startsWith('her-testbed:')
  );
}
