import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestbedError } from './errors.ts';
import { lines } from './host-files.ts';
import type { Places } from './places.ts';
import { type StoreCredentials, storeRequest } from './store-request.ts';
import { addresses, storePort } from './topology.ts';

/** New credentials, for the store and for its users. */
export async function makeStoreCredentials(places: Places): Promise<void> {
  const credentials: StoreCredentials = {
    endpoint: `http://${addresses.store}:${storePort}`,
    region: 'us-east-1',
    bucket: 'her',
    accessKeyId: `HER${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(24).toString('base64url'),
  };
  const { accessKeyId, secretAccessKey, endpoint, region } = credentials;
  const secret = { mode: 0o600 };
  await writeFile(places.storeCredentials, `${JSON.stringify(credentials, null, 2)}\n`, secret);
  await writeFile(
    places.storeEnvironment,
    lines([
      `AWS_ENDPOINT_URL=${endpoint}`,
      `AWS_REGION=${region}`,
      `AWS_ACCESS_KEY_ID=${accessKeyId}`,
      `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`,
    ]),
    secret,
  );
  await writeFile(
    join(places.host('s3'), 's3.env'),
    lines([`ROOT_ACCESS_KEY=${accessKeyId}`, `ROOT_SECRET_KEY=${secretAccessKey}`]),
    secret,
  );
}

/** A store that overwrites where it must not would make every test above it worthless. */
export async function proveConditionalWrites(credentials: StoreCredentials): Promise<void> {
  const key = `conditional-${randomBytes(6).toString('hex')}`;
  const put = () =>
    storeRequest(credentials, { method: 'PUT', key, body: 'x', headers: { 'if-none-match': '*' } });
  const codes = [(await put()).status, (await put()).status];
  await storeRequest(credentials, { method: 'DELETE', key });
  if (codes[0] === 200 && codes[1] === 412) return;
  throw new TestbedError(
    'BED_S3_UNCONDITIONAL',
    `two writes of one key with If-None-Match were answered ${codes.join(' and ')}, not 200 and 412`,
    'The store is of no use for tests; see its log, versitygw.log.',
  );
}
