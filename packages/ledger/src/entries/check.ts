import type { z } from 'zod';
import { LedgerError } from '../errors.ts';
import { isEntryKind } from './kinds.ts';
import { spellQuantity } from './quantity.ts';
import { EntryBodySchema, EnvelopeSchema } from './schema.ts';
import type { EntryBody } from './types.ts';

/**
 * Checks a body before it becomes a line; numbers of metrics and scores are spelled out where they must be.
 * @throws {LedgerError} `LEDGER_KIND_UNKNOWN`, `LEDGER_ENTRY_INVALID`
 */
export function checkBody(body: EntryBody): EntryBody {
  if (!isEntryKind(body.kind)) {
    throw new LedgerError('LEDGER_KIND_UNKNOWN', `no entries of kind ${JSON.stringify(body.kind)} are known`);
  }
  const result = EntryBodySchema.safeParse(spelled(body));
  if (result.success) return result.data;
  throw new LedgerError(
    'LEDGER_ENTRY_INVALID',
    `a ${body.kind} entry does not fit its schema: ${why(result.error)}`,
    {
      cause: result.error,
    },
  );
}

/** What is wrong with a parsed line of a known kind, or `undefined`. */
export function faultOf(line: Record<string, unknown>): string | undefined {
  const { v, i, time, ...body } = line;
  const envelope = EnvelopeSchema.safeParse({ v, i, time });
  if (!envelope.success) return why(envelope.error);
  const result = EntryBodySchema.safeParse(body);
  return result.success ? undefined : why(result.error);
}

function spelled(body: EntryBody): EntryBody {
  if (body.kind === 'metric') {
    const values = Object.entries(body.values ?? {});
    // Nearly always all of them are plain, and there is nothing to copy.
    if (values.every(([, value]) => spell(value) === value)) return body;
    return { ...body, values: Object.fromEntries(values.map(([key, value]) => [key, spell(value)])) };
  }
  if (body.kind === 'score') return { ...body, value: spell(body.value), stderr: spell(body.stderr) };
  return body;
}

function spell<Value>(value: Value): Value | number | string {
  return typeof value === 'number' ? spellQuantity(value) : value;
}

function why(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || 'the entry'}: ${issue.message}`)
    .join('; ');
}
