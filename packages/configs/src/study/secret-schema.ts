import { z } from 'zod';
import { takenVariables } from './taken-variables.ts';

const words = z.array(z.string().min(1)).min(1);

/** Where a value comes from that is never written into a study, a file of a job or the ledger. */
export const secretSource = z.union(
  [
    z.strictObject({
      env: z
        .string()
        .regex(/^[A-Za-z_]\w*$/)
        .describe('A variable of the caller'),
    }),
    z.strictObject({ file: z.string().min(1).describe('A file that nobody else may read') }),
    z.strictObject({ command: words.describe('A command that prints it') }),
  ],
  { error: 'one of `env`, `file`, `command`' },
);
export type SecretSource = z.infer<typeof secretSource>;

const variable = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, 'the name of an environment variable')
  .refine((name) => !takenVariables.test(name), 'this variable is set by the launch itself');

/** Variables of the trainers whose values are secrets. */
export const secretsSchema = z
  .record(variable, secretSource)
  .default({})
  .describe('Secret variables of the trainers, by where their values come from');
