import type { Entry, EntryBody } from './schema.ts';

export type { Entry, EntryBody };

/** The entry of one kind. */
export type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

/** The body of one kind, as given to `append`. */
export type EntryBodyOf<Kind extends EntryBody['kind']> = Extract<EntryBody, { kind: Kind }>;

/** A line of a kind that this version has no schema for. Its bytes are proven all the same. */
export interface UnknownEntry {
  readonly i: number;
  readonly kind: string;
  readonly line: string;
}
