import { join } from 'node:path';
import { blobsFolder, getBlob } from '../blobs.ts';
import { LedgerError } from '../errors.ts';
import { listIfThere } from '../files.ts';
import type { Findings, Place } from './report.ts';

/** Checks that each blob that an entry names is there, and is what its name says; counts those nobody names. */
export async function checkBlobs(
  dir: string,
  named: ReadonlyMap<string, Place>,
  findings: Findings,
): Promise<{ named: number; unnamed: number }> {
  const there = new Set<string>();
  for (const prefix of await listIfThere(blobsFolder(dir))) {
    for (const name of await listIfThere(join(blobsFolder(dir), prefix))) {
      if (/^[0-9a-f]{64}$/.test(name) && name.startsWith(prefix)) there.add(name);
      else findings.warning('stranger', `blobs/sha256/${prefix}/${name} is not a blob`);
    }
  }
  for (const [name, place] of named) {
    if (!there.delete(name)) {
      findings.error('blob-missing', `blob ${name}, named by entry ${place.entry}, is missing`, place);
      continue;
    }
    await checkBlob(dir, name, place, findings);
  }
  for (const name of there) await checkBlob(dir, name, {}, findings);
  return { named: named.size, unnamed: there.size };
}

async function checkBlob(dir: string, name: string, place: Place, findings: Findings): Promise<void> {
  try {
    await getBlob(dir, name);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    findings.error('blob-altered', error.message, place);
  }
}
