import { Readable } from 'node:stream';
import { execa } from 'execa';
import { streamed } from '../targets/agent-answer.ts';
import type { StorageNode } from './node.ts';

/** A node for tests: `program` is what stands before the agent's verb, here or by the system's `ssh`. */
export function commandNode(
  name: string,
  root: string,
  program: readonly string[],
  env: Record<string, string> = {},
): StorageNode {
  const [command = '', ...first] = program;
  const options = (signal: AbortSignal) =>
    ({
      buffer: { stdout: false, stderr: true },
      detached: true,
      reject: false,
      cancelSignal: signal,
      env,
    }) as const;
  return {
    name,
    converse: async function* (verb, lines, signal) {
      const child = execa(command, [...first, verb, '--root', root], {
        ...options(signal),
        input: Readable.from(withEnds(lines)),
      });
      yield* streamed(child.iterable(), child, verb, signal);
    },
    read: async function* (attempt, path, from, signal) {
      const argv = ['read', '--root', root, '--attempt', attempt, '--path', path, '--from', String(from)];
      const child = execa(command, [...first, ...argv], { ...options(signal), stdin: 'pipe' });
      yield* streamed(child.iterable({ binary: true }), child, 'read', signal);
    },
  };
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
