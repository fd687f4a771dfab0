import { randomBytes } from 'node:crypto';
import type { StoreSpec } from '@her/configs';
import { HerError } from '../errors.ts';
import { placeOf } from './places.ts';
import { openStore } from './store.ts';

/**
 * One small object below the prefix, written with a condition, refused the second time, read back, and removed; with
 * this machine's own credentials, and in few tries.
 * @throws {HerError} `STORE_*`
 */
export async function tryStore(spec: StoreSpec): Promise<void> {
  const store = openStore(spec, { tries: 2 });
  const { key: prefix } = placeOf(spec.to);
  const key = `${prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`}.her-doctor-${randomBytes(6).toString('hex')}`;
  const body = `her ${key}`;
  try {
    const written = await store.create(key, body);
    try {
      const again = await store.create(key, 'another');
      const read = (await store.read(key))?.toString('utf8');
      const facts = await store.facts(key);
      if (!written || again || read !== body)
        throw new HerError('STORE_UNVERIFIED', 'the store writes over an object that it was told not to');
      if (facts?.checksum == null)
        throw new HerError('STORE_UNVERIFIED', 'the store keeps no SHA-256 checksums of objects');
      await store.uploads(key);
    } finally {
      await store.remove([key]);
    }
  } finally {
    store.close();
  }
}
