import { z } from 'zod';

/** Code of the study's own that its jobs import: it stands on PYTHONPATH of every rank. */
export const codeSchema = z
  .strictObject({
    path: z.string().min(1).default('.').describe('A folder in a git work tree; its last commit is taken'),
  })
  .describe("The study's own code, from a clean commit of git");
export type CodeSpec = z.infer<typeof codeSchema>;
