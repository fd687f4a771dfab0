import { z } from 'zod';

/** A store of checkpoints beside the nodes. Credentials are the caller's own: a study has none. */
export const storeSchema = z
  .strictObject({
    to: z
      .string()
      .regex(/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.=+-][\w.=+-]*)*\/?$/, 's3://BUCKET/PREFIX')
      .describe('Where whole checkpoints are uploaded'),
    endpoint: z
      .string()
      .regex(/^https?:\/\/[^\s?#]+$/, 'http:// or https://')
      .optional()
      .describe('Of a store that is not AWS'),
    region: z
      .string()
      .regex(/^[a-z0-9-]+$/)
      .optional(),
    path_style: z
      .boolean()
      .optional()
      .describe('Whether the bucket stands in the path (default: with an endpoint)'),
    keep: z.int().min(2).default(2).describe('Checkpoints of a job that stay there, the newest ones'),
  })
  .describe('Where checkpoints are kept beside the nodes');
export type StoreSpec = z.infer<typeof storeSchema>;
