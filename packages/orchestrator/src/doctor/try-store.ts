import { randomBytes } from 'node:crypto';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { StoreSpec } from './checks/store.ts';

/** Milliseconds. */
const patience = 10_000;

/** One small object written and removed, with this machine's own credentials. */
export async function tryS3(store: StoreSpec): Promise<void> {
  const url = new URL(store.to);
  const prefix = url.pathname.replace(/^\/|\/$/g, '');
  const at = {
    Bucket: url.hostname,
    Key: `${prefix === '' ? '' : `${prefix}/`}.her-doctor-${randomBytes(6).toString('hex')}`,
  };
  const client = new S3Client({
    region: store.region ?? process.env['AWS_REGION'] ?? 'us-east-1',
    ...(store.endpoint === undefined ? {} : { endpoint: store.endpoint }),
    forcePathStyle: store.path_style ?? store.endpoint !== undefined,
    maxAttempts: 1,
  });
  const abortSignal = AbortSignal.timeout(patience);
  try {
    await client.send(new PutObjectCommand({ ...at, Body: 'her' }), { abortSignal });
    await client.send(new DeleteObjectCommand(at), { abortSignal });
  } finally {
    client.destroy();
  }
}
