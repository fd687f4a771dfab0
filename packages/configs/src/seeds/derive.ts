import { createHash } from 'node:crypto';

/**
 * The published rule by which every random source of a job gets its seed:
 * the first 31 bits of SHA-256 over the text `her/seed/v1\n<root seed>\n<stage>\n<source>`, as a whole number.
 *
 * The arm takes no part: two arms with one root seed see the same data order, so that they can be compared in pairs.
 * @returns a whole number from 0 to 2^31 - 1, which every trainer's seed option takes.
 */
export function deriveSeed(root: number, stage: string, source: string): number {
  const digest = createHash('sha256').update(`her/seed/v1\n${root}\n${stage}\n${source}`, 'utf8').digest();
  return digest.readUInt32BE(0) >>> 1;
}
