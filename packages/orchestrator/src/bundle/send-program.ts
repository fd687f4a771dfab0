import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { z } from 'zod';
import type { Runner } from '../targets/runner.ts';
import type { SendOptions } from './send.ts';
import { unpacker } from './unpacker.ts';

const pack = promisify(gzip);
const arrived = z.object({ path: z.string().startsWith('/') });

/** Puts one program of this machine into `bin` below the root of a node; its path there. */
export async function sendProgram(
  runner: Runner,
  root: string,
  name: string,
  file: string,
  { python = 'python3', signal }: SendOptions = {},
): Promise<string> {
  const bytes = await readFile(file);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const args = ['program', root, name, digest, String(bytes.length)];
  const options = signal === undefined ? {} : { signal };
  const input = await pack(bytes, { level: 6 });
  return (await unpacker(runner, python, args, arrived, { ...options, input, timeout: null })).path;
}
