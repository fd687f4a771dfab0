import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { installation } from '../home.ts';
import { tarOf } from './archive.ts';
import type { Code } from './code.ts';
import { entriesUnder } from './entries-under.ts';
import { ownPackage } from './own-package.ts';

/** All that a node needs of ours, as one archive. Its name is the hash of what is in it, whatever packs it. */
export type Bundle = {
  /** SHA-256 of the archive as it is unpacked. */
  digest: string;
  size: number;
  /** The archive, gzipped. */
  packed: Uint8Array;
  files: number;
};

const pack = promisify(gzip);

/**
 * The agent, our node-side package, the trainers' locks, and the study's own code.
 * @param agent the agent's zipapp
 */
export async function buildBundle(agent: string, code: Code | null = null): Promise<Bundle> {
  const entries = [
    { path: 'agent.pyz', bytes: await readFile(agent), executable: true },
    ...(await ownPackage()),
    ...(await entriesUnder(join(installation, 'infra', 'envs'), 'envs')),
    ...(code?.files ?? []).map((file) => ({ ...file, path: `code/${file.path}` })),
  ];
  const archive = tarOf(entries);
  return {
    digest: createHash('sha256').update(archive).digest('hex'),
    size: archive.length,
    packed: await pack(archive, { level: 6 }),
    files: entries.length,
  };
}
