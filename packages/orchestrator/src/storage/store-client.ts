import { S3Client } from '@aws-sdk/client-s3';
import type { StoreSpec } from '@her/configs';
import { placeOf } from './places.ts';
import { isMissing, storeFailure } from './store-failure.ts';

export type StoreClient = ReturnType<typeof openClient>;

/** Retries are the SDK's own: exponential, with jitter. */
const tries = 5;

/** A client of the store that a study names, with credentials as the AWS SDK finds them: environment, profile, …. */
export function openClient(spec: StoreSpec, attempts = tries) {
  // Other stores than AWS have no regions, and yet every request is signed for one.
  const region =
    spec.region ?? (spec.endpoint === undefined ? undefined : (process.env['AWS_REGION'] ?? 'us-east-1'));
  const client = new S3Client({
    ...(spec.endpoint === undefined ? {} : { endpoint: spec.endpoint }),
    ...(region === undefined ? {} : { region }),
    forcePathStyle: spec.path_style ?? spec.endpoint !== undefined,
    maxAttempts: attempts,
    requestHandler: { connectionTimeout: 10_000, requestTimeout: 60_000, throwOnRequestTimeout: true },
    // A presigned request carries the checksum that we choose, and no other.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return {
    spec,
    bucket: placeOf(spec.to).bucket,
    client,
    /** Turns what the SDK throws into one clear error. */
    told: async <T>(what: string, ask: () => Promise<T>): Promise<T> => {
      try {
        return await ask();
      } catch (error) {
        throw storeFailure(error, what, spec);
      }
    },
    /** The same; null where there is no such object. */
    ifThere: async <T>(what: string, ask: () => Promise<T>): Promise<T | null> => {
      try {
        return await ask();
      } catch (error) {
        if (isMissing(error)) return null;
        throw storeFailure(error, what, spec);
      }
    },
  };
}
