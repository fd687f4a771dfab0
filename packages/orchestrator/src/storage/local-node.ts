import { Readable } from 'node:stream';
import { execa } from 'execa';
import { streamed } from '../targets/agent-answer.ts';
import type { StorageNode } from './node.ts';

/** A node that is reached by a command on this machine: `program` is what stands before the agent's verb. */
export function localStorageNode(name: string, root: string, program: readonly string[]): StorageNode {
  const [command = '', ...first] = program;
  return {
    name,
    root,
    converse: async function* (argv, lines, signal) {
      const child = execa(command, [...first, ...argv], {
        input: Readable.from(withEnds(lines)),
        buffer: { stdout: false, stderr: true },
        detached: true,
        reject: false,
        cancelSignal: signal,
      } as const);
      yield* streamed(child.iterable(), child, argv[0], signal);
    },
    bytes: async function* (argv, signal) {
      const child = execa(command, [...first, ...argv], {
        stdin: 'pipe',
        buffer: { stdout: false, stderr: true },
        detached: true,
        reject: false,
        cancelSignal: signal,
      } as const);
      yield* streamed(child.iterable({ binary: true }), child, argv[0], signal);
    },
  };
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
