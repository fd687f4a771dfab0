import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { HerError } from '../errors.ts';
import { parseJson, refusalIn, unreachable } from '../targets/agent-answer.ts';
import type { Runner } from '../targets/runner.ts';

/**
 * Runs an agent that comes on standard input, its length before it and the request behind it: from memory, so that
 * nothing is left on the node and a full disk does not matter. The first lines run on any Python, to name one that is
 * too old.
 */
const loader = `
import sys
if sys.version_info < (3, 9):
    sys.stdout.write('{"error": {"code": "old-python", "message": "%d.%d.%d", "hint": ""}}' % sys.version_info[:3])
    sys.exit(2)
import os, tempfile
stream = sys.stdin.buffer
agent = stream.read(int(stream.readline()))
if hasattr(os, "memfd_create"):
    number = os.memfd_create("her-agent")
    path = "/proc/self/fd/%d" % number
else:
    kept = tempfile.NamedTemporaryFile(suffix=".pyz")
    number, path = os.dup(kept.fileno()), kept.name
with os.fdopen(number, "wb", closefd=False) as file:
    file.write(agent)
sys.path.insert(0, path)
from her_agent.cli import main
sys.exit(main(sys.argv[1:]))
`;

export type Sent = {
  runner: Runner;
  /** Of the node. */
  python: string;
  /** The zipapp, here. */
  archive: string;
};

/** Asks a verb of an agent that is not on the node. `timeout` in seconds. */
export async function askSentAgent<T>(
  { runner, python, archive }: Sent,
  verb: string,
  request: Record<string, unknown>,
  reply: z.ZodType<T>,
  timeout: number,
): Promise<T> {
  const agent = await readFile(archive);
  const input = Buffer.concat([
    Buffer.from(`${agent.length}\n`),
    agent,
    Buffer.from(JSON.stringify({ protocol: 1, ...request })),
  ]);
  const result = await runner.run([python, '-I', '-c', loader, verb], { input, timeout });
  const said = parseJson(result.stdout);
  const refused = refusalIn(said);
  if (refused !== undefined) throw refused;
  const success = reply.safeParse(said);
  if (result.exitCode === 0 && success.success) return success.data;
  if (result.exitCode === 127 || /not found|ENOENT/.test(result.originalMessage ?? ''))
    throw new HerError('AGENT_FAILED', `there is no \`${python}\``, { agentCode: 'no-python' });
  if (result.exitCode === 0)
    throw new HerError('AGENT_FAILED', `\`${python}\` answered something else than was asked for`, {
      agentCode: 'no-answer',
      cause: success.error,
    });
  throw unreachable(verb, result);
}
