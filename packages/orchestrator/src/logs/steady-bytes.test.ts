import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HerError } from '../errors.ts';
import { type Reading, steadyBytes } from './steady-bytes.ts';

/** Not a node: bytes that break off where the test says so. */
function stubNode(data: Uint8Array, breaks: number[]) {
  const opened: number[] = [];
  return {
    opened,
    async *open(from: number): AsyncGenerator<Uint8Array> {
      opened.push(from);
      const size = breaks.shift();
      const end = size === undefined ? data.length : Math.min(data.length, from + size);
      for (let at = from; at < end; at += 3) yield data.subarray(at, Math.min(end, at + 3));
      if (size !== undefined) throw new HerError('AGENT_UNREACHABLE', 'the stub broke off');
    },
  };
}

function reading(changes: Partial<Reading> & Pick<Reading, 'open'>): Reading & { events: string[] } {
  const events: string[] = [];
  return {
    events,
    reach: async () => undefined,
    from: 0,
    patient: true,
    signal: new AbortController().signal,
    lost: (_since, why) => events.push(`lost: ${why}`),
    back: () => events.push('back'),
    unbegun: () => events.push('unbegun'),
    pace: { first: 0, most: 0 },
    ...changes,
  };
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('wherever the stream breaks off, no byte is lost or doubled', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(fc.nat(20), { maxLength: 8 }),
      async (data, breaks) => {
        const count = breaks.length;
        const node = stubNode(data, [...breaks]);
        const read = reading({ open: node.open });
        expect(await collect(steadyBytes(read))).toEqual(Buffer.from(data));
        expect(node.opened).toHaveLength(count + 1);
        expect(read.events.filter((event) => event === 'back')).toHaveLength(count);
      },
    ),
    { numRuns: 60 },
  );
});

test('unknown is said once, however often it is tried, and again only after it was back', async () => {
  let tries = 0;
  const node = stubNode(Buffer.from('abcdef'), [3]);
  const read = reading({
    open: node.open,
    reach: async () => {
      tries += 1;
      if (tries < 4) throw new HerError('AGENT_UNREACHABLE', 'still away');
    },
  });
  expect((await collect(steadyBytes(read))).toString()).toBe('abcdef');
  expect(read.events).toEqual(['lost: the stub broke off', 'back']);
  expect(node.opened).toEqual([0, 3]);
});

test('who does not follow is told at once; a refusal is one in any case', async () => {
  const node = stubNode(Buffer.from('abcdef'), [3]);
  await expect(collect(steadyBytes(reading({ open: node.open, patient: false })))).rejects.toMatchObject({
    code: 'AGENT_UNREACHABLE',
  });
  const refusing = reading({
    open: () => {
      throw new HerError('AGENT_FAILED', 'no', { agentCode: 'bad-offset' });
    },
  });
  await expect(collect(steadyBytes(refusing))).rejects.toMatchObject({ agentCode: 'bad-offset' });
});

test('an attempt that has not begun is waited for', async () => {
  let tries = 0;
  const read = reading({
    async *open() {
      tries += 1;
      if (tries < 3) throw new HerError('AGENT_FAILED', 'none', { agentCode: 'no-such-attempt' });
      yield Buffer.from('begun');
    },
  });
  expect((await collect(steadyBytes(read))).toString()).toBe('begun');
  expect(read.events).toEqual(['unbegun']);
});

test('who lets go ends at once', async () => {
  const letGo = new AbortController();
  const read = reading({
    signal: letGo.signal,
    pace: { first: 60_000, most: 60_000 },
    // biome-ignore lint/correctness/useYield: a stub that is never there
    async *open() {
      throw new HerError('AGENT_UNREACHABLE', 'away');
    },
  });
  setTimeout(() => letGo.abort(), 50);
  expect(await collect(steadyBytes(read))).toHaveLength(0);
});
