import { GetObjectCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { StoreClient } from './store-client.ts';
import { fileHashName } from './store-objects.ts';

/** A request that its holder may make without credentials. The URL is a secret. */
export type Signed = { url: string; headers: Record<string, string> };

/** How long a URL is good for. One that ran out is replaced by a fresh one. */
const defaultSeconds = 3600;

/** A SHA-256 in hex as S3 spells it. */
export function base64(sha256: string): string {
  return Buffer.from(sha256, 'hex').toString('base64');
}

/** URLs for nodes. Those to write are good for bytes with one hash: the store refuses all others. */
export function storeUrls({ client, bucket, told }: StoreClient, seconds = defaultSeconds) {
  /** The headers are signed too: a request without them, or with others, is refused. */
  const sign = (command: object, headers: Record<string, string>): Promise<Signed> =>
    told('sign for', async () => {
      const names = new Set(Object.keys(headers));
      // The SDK's own types of commands and of this function differ in how they spell what may be left out.
      const url = await getSignedUrl(client, command as Parameters<typeof getSignedUrl>[1], {
        expiresIn: seconds,
        unhoistableHeaders: names,
        signableHeaders: new Set(['host', ...names]),
      });
      return { url, headers };
    });
  return {
    /** To put a whole file. */
    signPut: (key: string, sha256: string): Promise<Signed> => {
      const checksum = { ChecksumSHA256: base64(sha256), Metadata: { [fileHashName]: sha256 } };
      return sign(new PutObjectCommand({ Bucket: bucket, Key: key, ...checksum }), {
        'x-amz-checksum-sha256': base64(sha256),
        [`x-amz-meta-${fileHashName}`]: sha256,
      });
    },

    /** To put one part of a file. */
    signPart: (key: string, id: string, number: number, sha256: string): Promise<Signed> => {
      const part = { Bucket: bucket, Key: key, UploadId: id, PartNumber: number };
      return sign(new UploadPartCommand({ ...part, ChecksumSHA256: base64(sha256) }), {
        'x-amz-checksum-sha256': base64(sha256),
      });
    },

    /** To read an object; where its tag is given, only while it is that one. */
    signGet: (key: string, etag: string | null): Promise<Signed> => {
      const asked = { Bucket: bucket, Key: key };
      return etag === null
        ? sign(new GetObjectCommand(asked), {})
        : sign(new GetObjectCommand({ ...asked, IfMatch: etag }), { 'if-match': etag });
    },
  };
}
