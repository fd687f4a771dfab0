import type { HashedFile } from './digests.ts';
import type { Range } from './ranges.ts';

/** Files on their way to a node. */
export type Parcel = {
  /** For people. */
  label: string;
  /** By which the node knows what arrived. */
  digest: string;
  /** One file, which is no folder's. */
  single: boolean;
  files: readonly HashedFile[];
  /** A tar stream of the files in these places, in that order, the first one without `skip` bytes. */
  open(ranges: readonly Range[], skip: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
};
