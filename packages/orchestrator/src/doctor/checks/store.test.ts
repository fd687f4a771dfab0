import { expect, test } from 'vitest';
import { HerError } from '../../errors.ts';
import { type StoreSpec, storeFindings } from './store.ts';

const store: StoreSpec = { to: 's3://bucket/her', keep: 2 };
const failing = (error: unknown) => () => Promise.reject(error);

test('a store that takes an object passes, tried once', async () => {
  const tried: StoreSpec[] = [];
  const found = await storeFindings(store, async (one) => {
    tried.push(one);
  });
  expect(found).toEqual([
    { check: 'store', node: null, status: 'ok', what: 's3://bucket/her can be written' },
  ]);
  expect(tried).toEqual([store]);
});

test('one that refuses fails with the reason in one line, its code and the remedy of it', async () => {
  const refused = new HerError('STORE_REFUSED', 'AccessDenied: no\nRequestId: 1', { hint: 'Ask its owner.' });
  expect(await storeFindings(store, failing(refused))).toEqual([
    {
      check: 'store',
      node: null,
      status: 'fail',
      what: 's3://bucket/her: AccessDenied: no',
      remedy: 'Ask its owner.',
      code: 'STORE_REFUSED',
    },
  ]);
});

test('what nobody foresaw fails with what to look at', async () => {
  for (const error of [new TypeError('fetch failed'), 'odd']) {
    const [found] = await storeFindings(store, failing(error));
    expect(found).toMatchObject({ status: 'fail', remedy: expect.stringContaining('AWS_PROFILE') });
  }
});

test('one that does not answer fails too: its name may be wrong, and that is what to look at', async () => {
  const [found] = await storeFindings(store, failing(new HerError('STORE_UNREACHABLE', 'no answer')));
  expect(found).toMatchObject({
    status: 'fail',
    what: 's3://bucket/her: no answer',
    code: 'STORE_UNREACHABLE',
    remedy: expect.stringContaining('endpoint'),
  });
});

test('a study without a store has no finding of it, and nothing is tried', async () => {
  expect(await storeFindings(null, failing('tried'))).toEqual([]);
});
