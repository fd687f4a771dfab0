import { describe, expect, it } from 'vitest';
import { openTest, scratch } from '../testing.ts';
import { verifyLedger } from '../verify/verify.ts';
import { type FileHash, fileFields, filesOf } from './file-lists.ts';

const digest = 'ab'.repeat(32);
const list = (count: number): FileHash[] =>
  Array.from({ length: count }, (_, at) => ({ path: `model-${at}.safetensors`, size: at, sha256: digest }));

describe('a list of files', () => {
  it.each([
    [3, 'files'],
    [1000, 'filesBlob'],
  ])('of %i is kept as %s, and reads back', async (count, field) => {
    using place = scratch();
    const ledger = await openTest(place);
    const fields = await fileFields(ledger, digest, list(count));
    expect(Object.keys(fields)).toEqual(['digest', field]);
    const [entry] = await ledger.append([
      {
        kind: 'checkpoint.saved',
        study: 'tiny',
        job: '0123456789abcdef',
        attempt: '0123456789abcdef-1',
        node: 'local',
        seq: 4,
        step: 8,
        path: 'out/checkpoint-8',
        ...fields,
      },
    ]);
    if (entry?.kind !== 'checkpoint.saved') throw new Error('another kind came back');
    expect(await filesOf(place.dir, entry)).toEqual(list(count));
    await ledger.close();
    expect((await verifyLedger(place.dir)).ok).toBe(true);
  });

  it('that is not one is an error', async () => {
    using place = scratch();
    const ledger = await openTest(place);
    const filesBlob = await ledger.putBlob('[1]');
    await expect(filesOf(place.dir, { filesBlob })).rejects.toMatchObject({ code: 'LEDGER_BLOB' });
    expect(await filesOf(place.dir, {})).toEqual([]);
    await ledger.close();
  });
});
