import { expect, test } from 'vitest';
import { passOn, streamedBy } from './streamed-by.ts';

const bytes = Buffer.from('a');

test('chunks come through, and the end is what the generator returned', async () => {
  const inner = streamedBy(async function* () {
    yield bytes;
    return { exitCode: 3 };
  });
  const { chunks, ended } = streamedBy(() => passOn(inner));
  expect(await all(chunks)).toEqual([bytes]);
  expect(await ended).toEqual({ exitCode: 3 });
});

test('a failure is told to who reads and to who waits for the end', async () => {
  const { chunks, ended } = streamedBy(async function* () {
    yield bytes;
    throw new TypeError('broke');
  });
  await expect(all(chunks)).rejects.toThrow('broke');
  await expect(ended).rejects.toThrow('broke');
});

test('who stops reading lets it go', async () => {
  const { chunks, ended } = streamedBy(async function* () {
    yield bytes;
    yield bytes;
    return { exitCode: 0 };
  });
  for await (const _ of chunks) break;
  expect(await ended).toEqual({ originalMessage: 'it was let go' });
});

async function all(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const read: Uint8Array[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return read;
}
