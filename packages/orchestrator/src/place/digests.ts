import { createHash } from 'node:crypto';
import { digestOfFiles } from '../storage/manifest.ts';

export type HashedFile = { path: string; size: number; sha256: string };

/** What the files of an input are known by. All are SHA-256 in hex. */
export type Digests = {
  /** Of a plan: folder by folder, a single file without a name. */
  planned: string;
  /** Of outputs: over lines `<sha256>  <path>`, sorted by the bytes of the path. */
  digest: string;
  /** Of a single file's bytes. */
  sha256: string | null;
};

/** @param files in the order that a plan hashes them */
export function digestsOf(files: readonly HashedFile[], single: boolean): Digests {
  const lines = files.map(({ path, sha256 }) => `${sha256}  ${single ? '' : path}\n`);
  return {
    planned: createHash('sha256').update(lines.join('')).digest('hex'),
    digest: digestOfFiles(files),
    sha256: single ? (files[0]?.sha256 ?? null) : null,
  };
}

/** A study may pin an input by any of them. */
export function agrees(pinned: string, { planned, digest, sha256 }: Digests): boolean {
  return [planned, digest, sha256].includes(pinned);
}
