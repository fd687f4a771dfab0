import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { z } from 'zod';
import { errorReply } from '../agent/protocol.ts';
import { exitCodes, HerError } from '../errors.ts';
import { installation } from '../home.ts';
import { parseJson, unreachable } from '../targets/agent-answer.ts';
import type { Runner, RunOptions } from '../targets/runner.ts';

const source = join(installation, 'workers', 'python', 'src', 'her_agent', 'bundle_unpack.py');

/** Runs a word of the unpacker on a node, where nothing of ours has to be yet. */
export async function unpacker<T>(
  runner: Runner,
  python: string,
  args: readonly string[],
  reply: z.ZodType<T>,
  options: RunOptions = {},
): Promise<T> {
  const result = await runner.run([python, '-I', '-c', await program(), ...args], options);
  const said = parseJson(result.stdout);
  const refused = errorReply.safeParse(said);
  if (refused.success) throw refusal(runner.host, refused.data.error);
  const answer = reply.safeParse(said);
  if (result.exitCode === 0 && answer.success) return answer.data;
  if (result.exitCode === 127 || result.exitCode === 126)
    throw new HerError('ENVIRONMENT_SETUP', `${runner.host} has no \`${python}\` that can be run`, {
      hint: 'The agent needs Python 3.9 or newer there: name it by `python:` of the target.',
      exitCode: exitCodes.setup,
    });
  throw unreachable(args[0], result);
}

/** One word without line ends: there are login shells that take no others. */
async function program(): Promise<string> {
  const packed = deflateSync(await readFile(source)).toString('base64');
  return `exec(__import__('zlib').decompress(__import__('base64').b64decode('${packed}')))`;
}

type Refusal = z.infer<typeof errorReply>['error'];

function refusal(host: string, { code, message, hint }: Refusal): HerError {
  const more = { hint: hint ?? '', agentCode: code };
  if (code === 'disk-full') return new HerError('DISK_FULL', `${host}: ${message}`, more);
  if (code === 'python-too-old')
    return new HerError('ENVIRONMENT_SETUP', `${host}: ${message}`, { ...more, exitCode: exitCodes.setup });
  return new HerError('AGENT_FAILED', `${host}: ${message} [${code}]`, more);
}
