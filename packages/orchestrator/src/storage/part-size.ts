const MiB = 1024 * 1024;

/** S3: a part but the last has at least 5 MiB, and an object has at most 10,000 parts. */
const leastPart = 16 * MiB;
const mostParts = 10_000;

/**
 * The size of a file's parts; null where it is sent in one request. A function of the file's size alone, so that a
 * later run cuts it the same way and finds the parts that are there.
 */
export function partSizeOf(bytes: number): number | null {
  if (bytes <= leastPart) return null;
  return Math.max(leastPart, Math.ceil(bytes / mostParts / MiB) * MiB);
}

export function partCount(bytes: number, partSize: number | null): number {
  return partSize === null ? 1 : Math.ceil(bytes / partSize);
}

/** How many bytes part `number`, from 1, has. */
export function partBytes(bytes: number, partSize: number, number: number): number {
  return Math.min(partSize, bytes - (number - 1) * partSize);
}
