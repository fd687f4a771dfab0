import { mkdirSync, writeFileSync } from 'node:fs';
import { entryJsonSchema } from './entries/schema.ts';

/** Writes the JSON Schema of a line to `schemas/`, for readers in other languages. */
const folder = new URL('../schemas/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('entries.schema.json', folder), `${JSON.stringify(entryJsonSchema(), null, 2)}\n`);
