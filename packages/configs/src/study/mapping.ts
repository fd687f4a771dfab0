/** A mapping of a study, of whatever. */
export type Mapping = Record<string, unknown>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value, or an empty mapping where it is none. */
export function mapping(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}
