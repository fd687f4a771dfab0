import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize } from '../canonical-json.ts';
import { metric } from '../testing.ts';
import { checkBody, faultOf } from './check.ts';
import { ENTRY_KINDS } from './kinds.ts';
import { readQuantity, spellQuantity } from './quantity.ts';
import { EntryBodySchema, entryJsonSchema } from './schema.ts';

describe('entry schemas', () => {
  it('exist for each kind in the list of kinds, and no other', () => {
    const kinds = EntryBodySchema.options.map((option) => option.shape.kind.value);
    expect(kinds.toSorted()).toEqual([...ENTRY_KINDS].sort());
  });

  it('are those in schemas/entries.schema.json (else run: pnpm -F @her/ledger schemas)', () => {
    const written = readFileSync(new URL('../../schemas/entries.schema.json', import.meta.url), 'utf8');
    expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(entryJsonSchema())));
  });

  it('name a fault by its field', () => {
    const line = { v: 1, i: 0, time: '2026-11-30T08:00:00.123Z', ...metric(1) };
    expect(faultOf(line)).toBeUndefined();
    expect(faultOf({ ...line, time: 'yesterday' })).toContain('time');
    expect(faultOf({ ...line, values: { loss: 'low' } })).toContain('values.loss');
    expect(() => checkBody({ ...metric(1), seq: 0.5 })).toThrow('seq');
  });
});

describe('quantities', () => {
  it('read back as the number they were, and are always JSON', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        const spelled = spellQuantity(value);
        expect(canonicalize(spelled)).toBeTruthy();
        expect(readQuantity(spelled)).toBe(value);
        expect(checkBody(metric(1, { value })).kind).toBe('metric');
      }),
      { examples: [[Number.NaN], [-Infinity], [2 ** 53], [-(2 ** 60)], [1e21], [-0]] },
    );
  });
});
