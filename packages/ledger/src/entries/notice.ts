import { z } from 'zod';
import { Attempt, entryKind, Job, Name, Sha256 } from './fields.ts';

/**
 * Somebody was told of something, or could not be. `id` is the same for the same news to the same receiver, whoever
 * tells it and however often; `to` names the receiver without its address.
 */
export const Notice = entryKind('notice', {
  id: Sha256,
  to: Name,
  of: z.array(z.enum(['end', 'failure', 'stall'])).min(1),
  job: z.exactOptional(Job),
  attempt: z.exactOptional(Attempt),
  delivered: z.boolean(),
  why: z.exactOptional(z.string().max(2_000)),
});
