import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { HerError } from '../errors.ts';
import type { StoreClient } from './store-client.ts';
import { isPrecondition, storeFailure } from './store-failure.ts';

export type StoredObject = { key: string; size: number; etag: string | null };

export type ObjectFacts = {
  size: number;
  /** SHA-256 in base64; of an object in parts, that of the parts' hashes, with `-PARTS` after it. */
  checksum: string | null;
  /** What its uploader said that the whole file's SHA-256 is, in hex. */
  sha256: string | null;
};

/** The name of the metadata that holds a file's SHA-256. */
export const fileHashName = 'her-sha256';

/** Objects of a store. */
export function storeObjects({ client, bucket, spec, told, ifThere }: StoreClient) {
  return {
    list: (prefix: string): Promise<StoredObject[]> =>
      told('list', async () => {
        const found: StoredObject[] = [];
        for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix }))
          for (const { Key, Size, ETag } of page.Contents ?? [])
            if (Key !== undefined) found.push({ key: Key, size: Size ?? 0, etag: ETag ?? null });
        return found;
      }),

    facts: (key: string): Promise<ObjectFacts | null> =>
      ifThere('look at', async () => {
        const asked = { Bucket: bucket, Key: key, ChecksumMode: 'ENABLED' } as const;
        const head = await client.send(new HeadObjectCommand(asked));
        return {
          size: head.ContentLength ?? 0,
          checksum: head.ChecksumSHA256 ?? null,
          sha256: head.Metadata?.[fileHashName] ?? null,
        };
      }),

    /** A small object's bytes. */
    read: (key: string): Promise<Buffer | null> =>
      ifThere('read', async () => {
        const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return Buffer.from((await got.Body?.transformToByteArray()) ?? new Uint8Array());
      }),

    /** The bytes from an offset on. */
    bytes: async function* (key: string, from: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
      const range = from > 0 ? { Range: `bytes=${from}-` } : {};
      const command = new GetObjectCommand({ Bucket: bucket, Key: key, ...range });
      const got = await told('read', () => client.send(command, { abortSignal: signal }));
      if (from > 0 && !got.ContentRange?.startsWith(`bytes ${from}-`))
        throw new HerError('STORE_REFUSED', `the store did not answer from byte ${from} on`);
      try {
        yield* got.Body as AsyncIterable<Uint8Array>;
      } catch (error) {
        throw storeFailure(error, 'read', spec);
      }
    },

    /** Writes an object unless one is there already: false then. */
    create: async (key: string, body: string): Promise<boolean> => {
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: body,
        IfNoneMatch: '*',
        ChecksumAlgorithm: 'SHA256',
        ContentType: 'application/json',
      });
      try {
        await client.send(command);
        return true;
      } catch (error) {
        if (isPrecondition(error)) return false;
        throw storeFailure(error, 'write', spec);
      }
    },

    /** Removes objects; those that are gone already are no fault. */
    remove: (keys: readonly string[]): Promise<void> =>
      told('remove from', async () => {
        for (let at = 0; at < keys.length; at += 1000) {
          const Objects = keys.slice(at, at + 1000).map((Key) => ({ Key }));
          const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } });
          const [failed] = (await client.send(command)).Errors ?? [];
          if (failed !== undefined)
            throw Object.assign(new Error(failed.Message ?? 'not removed'), { name: failed.Code ?? 'Error' });
        }
      }),
  };
}
