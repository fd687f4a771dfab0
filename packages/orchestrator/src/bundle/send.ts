import { z } from 'zod';
import { HerError } from '../errors.ts';
import type { Runner } from '../targets/runner.ts';
import type { Bundle } from './build.ts';
import { megabytes } from './code-errors.ts';
import { unpacker } from './unpacker.ts';

export type SendOptions = { python?: string; say?: (line: string) => void; signal?: AbortSignal };

const there = z.object({ folder: z.string().startsWith('/'), whole: z.boolean() });
const arrived = z.object({ folder: z.string().startsWith('/'), reused: z.boolean() });

/**
 * The bundle's folder on a node: one question where it is there, else it is sent, and counts once its hash was right there.
 * @throws {HerError} `DISK_FULL`, `ENVIRONMENT_SETUP` without a Python, `AGENT_UNREACHABLE`
 */
export async function ensureBundle(
  runner: Runner,
  root: string,
  bundle: Bundle,
  { python = 'python3', say = () => undefined, signal }: SendOptions = {},
): Promise<{ folder: string; reused: boolean }> {
  const options = signal === undefined ? {} : { signal };
  const found = await unpacker(runner, python, ['have', root, bundle.digest], there, options);
  if (found.whole) return { folder: found.folder, reused: true };
  say(`${runner.host}: sending ${megabytes(bundle.packed.length)} of ours`);
  const send = () =>
    unpacker(runner, python, ['bundle', root, bundle.digest, String(bundle.size)], arrived, {
      ...options,
      input: bundle.packed,
      timeout: null,
    });
  return await send().catch((error: unknown) => {
    // Damaged on the way: nothing was kept, once more may be enough.
    if (error instanceof HerError && ['torn', 'damaged'].includes(error.agentCode ?? '')) return send();
    throw error;
  });
}
