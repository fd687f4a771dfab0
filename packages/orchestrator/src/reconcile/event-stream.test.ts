import { expect, test } from 'vitest';
import { batches, parseEvent } from './event-stream.ts';

test('half a line says that the stream broke off, not that the attempt failed', () => {
  expect(() => parseEvent('{"se')).toThrow(expect.objectContaining({ code: 'AGENT_UNREACHABLE' }));
});

test("an agent's refusal keeps the agent's code", () => {
  const line = '{"error":{"code":"no-such-attempt","message":"no attempt a-1","hint":"start it"}}';
  expect(() => parseEvent(line)).toThrow(
    expect.objectContaining({ code: 'AGENT_FAILED', agentCode: 'no-such-attempt' }),
  );
});

test('lines that come while a batch is worked on are the next batch; none is lost, and the end is told', async () => {
  async function* lines(): AsyncGenerator<string> {
    for (let i = 0; i < 100; i++) {
      if (i % 7 === 0) await new Promise((wake) => setTimeout(wake, 1));
      yield `line ${i}`;
    }
  }
  const seen: string[] = [];
  for await (const batch of batches(lines())) {
    await new Promise((wake) => setTimeout(wake, 2));
    seen.push(...batch);
  }
  expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => `line ${i}`));
});

test('a stream that fails gives what it had, then its failure', async () => {
  async function* broken(): AsyncGenerator<string> {
    yield 'one';
    throw new Error('cut');
  }
  const seen: string[][] = [];
  const read = async (): Promise<void> => {
    for await (const batch of batches(broken())) seen.push(batch);
  };
  await expect(read()).rejects.toThrow('cut');
  expect(seen).toEqual([['one']]);
});

test('a reader that is slow holds the stream back, and loses nothing by it', async () => {
  let told = 0;
  async function* lines(): AsyncGenerator<string> {
    while (told < 5000) yield `line ${told++}`;
  }
  const seen: string[] = [];
  for await (const batch of batches(lines())) {
    await new Promise((wake) => setTimeout(wake, 5));
    seen.push(...batch);
    expect(told - seen.length).toBeLessThanOrEqual(1025);
  }
  expect(seen).toEqual(Array.from({ length: 5000 }, (_, i) => `line ${i}`));
});

test('a reader that leaves lets go of a stream that it held back', async () => {
  let over = false;
  async function* lines(): AsyncGenerator<string> {
    try {
      for (let i = 0; ; i++) yield `line ${i}`;
    } finally {
      over = true;
    }
  }
  for await (const _ of batches(lines())) {
    await new Promise((wake) => setTimeout(wake, 5));
    break;
  }
  await new Promise((wake) => setTimeout(wake, 5));
  expect(over).toBe(true);
});
