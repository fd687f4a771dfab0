import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  type ListPartsCommandOutput,
} from '@aws-sdk/client-s3';
import type { StoreClient } from './store-client.ts';
import { fileHashName } from './store-objects.ts';

export type Part = { number: number; size: number; etag: string; checksum: string | null };

type Unfinished = { key: string; id: string; at: number };

/** Uploads in parts. They live in the store until they are completed or let go: what resumes them needs nothing else. */
export function storeUploads({ client, bucket, told, ifThere }: StoreClient) {
  return {
    /** Unfinished uploads under a prefix, the newest first. */
    uploads: (prefix: string): Promise<{ key: string; id: string }[]> =>
      told('list uploads of', async () => {
        const found: Unfinished[] = [];
        let next: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
        while (next !== null) {
          const page: ListMultipartUploadsCommandOutput = await client.send(
            new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...next }),
          );
          for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
            if (Key !== undefined && UploadId !== undefined)
              found.push({ key: Key, id: UploadId, at: Initiated?.getTime() ?? 0 });
          const { NextKeyMarker: key, NextUploadIdMarker: id } = page;
          next =
            page.IsTruncated && key !== undefined
              ? { KeyMarker: key, ...(id === undefined ? {} : { UploadIdMarker: id }) }
              : null;
        }
        return found.toSorted((a, b) => b.at - a.at).map(({ key, id }) => ({ key, id }));
      }),

    begin: (key: string, sha256: string): Promise<string> =>
      told('begin an upload to', async () => {
        const command = new CreateMultipartUploadCommand({
          Bucket: bucket,
          Key: key,
          ChecksumAlgorithm: 'SHA256',
          Metadata: { [fileHashName]: sha256 },
        });
        const { UploadId } = await client.send(command);
        if (UploadId === undefined) throw new Error('it gave no upload id');
        return UploadId;
      }),

    parts: (key: string, id: string): Promise<Part[]> =>
      told('list parts in', async () => {
        const found: Part[] = [];
        // The SDK's own paging goes by the next marker, which some stores give after the last page too.
        let next: { PartNumberMarker?: string } | null = {};
        while (next !== null) {
          const page: ListPartsCommandOutput = await client.send(
            new ListPartsCommand({ Bucket: bucket, Key: key, UploadId: id, ...next }),
          );
          for (const { PartNumber, Size, ETag, ChecksumSHA256 } of page.Parts ?? [])
            found.push({
              number: PartNumber ?? 0,
              size: Size ?? 0,
              etag: ETag ?? '',
              checksum: ChecksumSHA256 ?? null,
            });
          const { IsTruncated, NextPartNumberMarker } = page;
          next =
            IsTruncated && NextPartNumberMarker !== undefined
              ? { PartNumberMarker: NextPartNumberMarker }
              : null;
        }
        return found;
      }),

    complete: (key: string, id: string, parts: readonly Part[]): Promise<void> =>
      told('complete an upload to', async () => {
        const Parts = parts.map(({ number, etag, checksum }) => ({
          PartNumber: number,
          ETag: etag,
          ...(checksum === null ? {} : { ChecksumSHA256: checksum }),
        }));
        const asked = { Bucket: bucket, Key: key, UploadId: id, MultipartUpload: { Parts } };
        await client.send(new CompleteMultipartUploadCommand(asked));
      }),

    /** Lets an unfinished upload go; one that is gone already is no fault. */
    abort: async (key: string, id: string): Promise<void> => {
      const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: id });
      await ifThere('abort an upload to', () => client.send(command));
    },
  };
}
