import { createHash } from 'node:crypto';
import { canonicalize, type FileHash } from '@her/ledger';
import { z } from 'zod';
import type { SavedCheckpoint } from './saved.ts';

const format = 'her/checkpoint/1';

const file = z.object({
  path: z.string().min(1),
  size: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** What lies beside the files in a store. A checkpoint is whole there exactly when this does. */
export const manifestSchema = z.object({
  format: z.literal(format),
  /** Whose it is: the ledger's origin. */
  ledger: z.string(),
  study: z.string(),
  job: z.string(),
  attempt: z.string(),
  step: z.int(),
  path: z.string(),
  digest: z.string(),
  /** The folder of the files, beside the manifest. */
  data: z.string(),
  files: z.array(file),
});
export type Manifest = z.infer<typeof manifestSchema>;

export type Owner = { study: string; ledger: string };

/** The folder of a checkpoint's files, beside its manifest. It is ours by its name, and no other content's. */
export function dataFolder({ ledger }: Owner, { digest }: { digest: string }): string {
  const name = ledger.slice(ledger.lastIndexOf('/') + 1).replaceAll(/[^A-Za-z0-9._-]/g, '_');
  return `${name}.${digest.slice(0, 16)}`;
}

/** The bytes of a manifest: the same checkpoint gives the same. */
export function manifestText(
  owner: Owner,
  checkpoint: SavedCheckpoint,
  files: readonly FileHash[],
): { text: string; sha256: string } {
  const { job, attempt, step, path, digest } = checkpoint;
  const manifest: Manifest = {
    format,
    ledger: owner.ledger,
    study: owner.study,
    job,
    attempt,
    step,
    path,
    digest,
    data: dataFolder(owner, checkpoint),
    files: files.map(({ path: name, size, sha256 }) => ({ path: name, size, sha256 })),
  };
  const text = `${canonicalize(manifest)}\n`;
  return { text, sha256: createHash('sha256').update(text).digest('hex') };
}

/** The digest of a list of files, as a node takes it: SHA-256 over `<sha256>  <path>` lines in the order of paths. */
export function digestOfFiles(files: readonly FileHash[]): string {
  const sorted = files.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  const hash = createHash('sha256');
  for (const { path, sha256 } of sorted) hash.update(`${sha256}  ${path}\n`);
  return hash.digest('hex');
}

/** Whether every path stays below the folder that it is put into, and none stands twice or inside another. */
export function arePlain(paths: readonly string[]): boolean {
  const known = new Set(paths);
  return (
    known.size === paths.length &&
    paths.every((path) => {
      const parts = path.split('/');
      const above = parts.slice(1).map((_, n) => parts.slice(0, n + 1).join('/'));
      return (
        !path.includes('\0') &&
        parts.every((part) => part !== '' && part !== '.' && part !== '..') &&
        !above.some((folder) => known.has(folder))
      );
    })
  );
}
