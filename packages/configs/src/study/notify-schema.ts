import { z } from 'zod';
import { secretSource } from './secret-schema.ts';

const on = z
  .array(z.enum(['end', 'failure', 'stall']))
  .min(1)
  .default(['end', 'failure', 'stall'])
  .describe('The study ended, a job failed, or nothing has been heard of one for long');

const address = z.string().regex(/^https?:\/\/\S+$/, 'http:// or https://');

/** Whom to tell, and of what. */
export const notifySchema = z
  .array(
    z.union(
      [
        z.strictObject({
          webhook: z.union([secretSource, address]).describe('Where a JSON message is posted to'),
          on,
        }),
        z.strictObject({
          command: z
            .array(z.string().min(1))
            .min(1)
            .describe('Run here, with the message on its standard input'),
          on,
        }),
      ],
      { error: 'one of `webhook`, `command`' },
    ),
  )
  .default([])
  .describe('Who is told when it ends, fails or stalls');
export type Notify = z.infer<typeof notifySchema>[number];
