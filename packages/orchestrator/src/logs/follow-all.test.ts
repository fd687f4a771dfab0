import { expect, test } from 'vitest';
import { HerError } from '../errors.ts';
import type { Node } from '../targets/target.ts';
import { type FollowOptions, followAll, type LineOf } from './follow-all.ts';

type Stub = { names: string[]; chunks: Record<string, string[]>; away?: boolean };

/** Not a node: it has the logs that the test gives it, and nothing else. */
function stubNode(name: string, { names, chunks, away = false }: Stub): Node {
  const unreached = new HerError('AGENT_UNREACHABLE', `${name} is away`);
  const stub: Partial<Node> = {
    name,
    attemptPath: async (attempt, path) => `/root/attempts/${attempt}/${path}`,
    runner: {
      host: name,
      run: async () => {
        if (away) throw unreached;
        return { exitCode: 0, stdout: `${names.join('\n')}\n`, stderr: '' };
      },
      stream: () => {
        throw new Error('nothing is streamed here');
      },
      close: async () => undefined,
    },
    async *log(_attempt, log) {
      for (const chunk of chunks[String(log)] ?? []) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        yield Buffer.from(chunk);
      }
    },
  };
  return stub as Node;
}

async function follow(nodes: Node[], options: Partial<FollowOptions> = {}) {
  const lines: LineOf[] = [];
  const said: string[] = [];
  const failure = await followAll(
    nodes.map((node, i) => ({ node, id: `a-1${i === 0 ? '' : `-n${i}`}` })),
    {
      follow: true,
      open: true,
      signal: new AbortController().signal,
      tail: null,
      line: async (line) => {
        lines.push(line);
      },
      say: (text) => said.push(text),
      ...options,
    },
  );
  return { lines, said, failure };
}

const first = stubNode('h1', {
  names: ['ray.log', 'rank-10.log', 'rank-2.log', 'notes.txt'],
  chunks: { '2': ['two ', 'of h1\nand', ' on\n'], '10': ['ten\n'], ray: ['head\n'] },
});
const second = stubNode('h2', { names: ['rank-0.log'], chunks: { '0': ['no', ' end'] } });

test('every log of every node comes in whole lines, with its node, rank and byte', async () => {
  const { lines, failure } = await follow([first, second]);
  expect(failure).toBe(null);
  const of = (node: string, log: number | string) =>
    lines.filter((line) => line.node === node && line.log === log).map(({ at, text }) => [at, text]);
  expect(of('h1', 2)).toEqual([
    [0, 'two of h1'],
    [10, 'and on'],
  ]);
  expect(of('h1', 10)).toEqual([[0, 'ten']]);
  expect(of('h1', 'ray')).toEqual([[0, 'head']]);
  expect(of('h2', 0)).toEqual([[0, 'no end']]);
});

test('without following, one log comes after the other, ranks in their order', async () => {
  const { lines } = await follow([first, second], { follow: false });
  expect(lines.map(({ node, log }) => `${node}/${log}`)).toEqual(['h1/2', 'h1/2', 'h1/10', 'h1/ray', 'h2/0']);
});

test('a node that is away holds up no other: followed it is waited for, else it is the failure', async () => {
  const away = stubNode('h0', { names: [], chunks: {}, away: true });
  const once = await follow([away, second], { follow: false });
  expect(once.lines.map(({ text }) => text)).toEqual(['no end']);
  expect(once.failure).toMatchObject({ code: 'AGENT_UNREACHABLE' });
  expect(once.said).toEqual(['h0: h0 is away']);

  const letGo = new AbortController();
  setTimeout(() => letGo.abort(), 300);
  const followed = await follow([away, second], { signal: letGo.signal });
  expect(followed.lines.map(({ text }) => text)).toEqual(['no end']);
  expect(followed.said).toEqual([
    expect.stringMatching(/^h0: unknown since \d\d:\d\d:\d\d \(h0 is away\); goes on/),
  ]);
});
