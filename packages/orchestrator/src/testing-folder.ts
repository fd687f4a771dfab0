import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder = '';

/** All that the tests write lies in one folder, which goes with them. Vitest calls the two by these names. */
export async function setup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'her-tests-'));
  process.env['TMPDIR'] = folder;
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
