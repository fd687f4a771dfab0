/** Hashes of what the plan does not hold itself. */
export type PlanHashes = {
  /** SHA-256 (hex) of the file or folder at a path of the study; null where it is not on this machine. */
  path(path: string): string | null;
  /** SHA-256 (hex) of the source of one of our own node-side modules. */
  code(module: string): string;
};
