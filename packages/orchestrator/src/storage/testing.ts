import type { Writable } from 'node:stream';
import { execa } from 'execa';
import { streamed } from '../targets/agent-answer.ts';
import type { StorageNode } from './node.ts';

/** A node for tests: `program` is what stands before the agent's verb, here or by the system's `ssh`. */
export function commandNode(
  name: string,
  root: string,
  program: readonly string[],
  started: (pid: number) => void = () => undefined,
): StorageNode {
  const [command = '', ...first] = program;
  return {
    name,
    converse: async function* (verb, lines, signal) {
      const child = execa(command, [...first, verb, '--root', root], {
        stdin: 'pipe',
        buffer: { stdout: false, stderr: true },
        detached: true,
        reject: false,
        cancelSignal: signal,
      } as const);
      started(child.pid ?? 0);
      void feed(child.stdin, lines);
      yield* streamed(child.iterable(), child, verb, signal);
    },
  };
}

/** A process that has ended takes no more, which is told by what it said. */
async function feed(stdin: Writable, lines: AsyncIterable<string>): Promise<void> {
  stdin.on('error', () => undefined);
  for await (const line of lines) stdin.write(`${line}\n`);
  stdin.end();
}
