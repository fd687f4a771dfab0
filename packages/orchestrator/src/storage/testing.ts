import { Readable } from 'node:stream';
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
        input: Readable.from(withEnds(lines)),
        buffer: { stdout: false, stderr: true },
        detached: true,
        reject: false,
        cancelSignal: signal,
      } as const);
      started(child.pid ?? 0);
      yield* streamed(child.iterable(), child, verb, signal);
    },
  };
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
