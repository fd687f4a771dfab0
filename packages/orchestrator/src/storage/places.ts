import { HerError } from '../errors.ts';
import { dataFolder, type Owner } from './manifest.ts';
import type { SavedCheckpoint } from './saved.ts';

/** A place in a store: `s3://BUCKET/KEY`. A prefix ends with `/` or is empty. */
export type Place = { bucket: string; key: string };

export function placeOf(url: string): Place {
  const match = /^s3:\/\/([^/]+)\/?(.*)$/s.exec(url);
  if (match?.[1] === undefined) throw new HerError('STORE_REFUSED', `${url} is no s3://BUCKET/KEY`);
  return { bucket: match[1], key: match[2] ?? '' };
}

/** Where a checkpoint lies in a store, by what the ledger says of it. */
export type CheckpointPlace = {
  bucket: string;
  /** `s3://bucket/prefix/study/job/attempt/checkpoint-STEP`, for the ledger and for people. */
  url: string;
  manifest: string;
  /** Prefix of the keys of its files, with `/` at the end. */
  data: string;
};

export function checkpointPlace(
  to: string,
  owner: Owner,
  checkpoint: Pick<SavedCheckpoint, 'job' | 'attempt' | 'step' | 'digest'>,
): CheckpointPlace {
  const { bucket, key } = placeOf(to);
  const prefix = key === '' || key.endsWith('/') ? key : `${key}/`;
  const { job, attempt, step } = checkpoint;
  return placeAt(bucket, `${prefix}${owner.study}/${job}/${attempt}/checkpoint-${step}`, owner, checkpoint);
}

/** The same, of a checkpoint that the ledger says is stored at `url`, whatever the study says now. */
export function storedPlace(owner: Owner, { url, digest }: { url: string; digest: string }): CheckpointPlace {
  const { bucket, key } = placeOf(url);
  return placeAt(bucket, key, owner, { digest });
}

function placeAt(
  bucket: string,
  folder: string,
  owner: Owner,
  checkpoint: { digest: string },
): CheckpointPlace {
  return {
    bucket,
    url: `s3://${bucket}/${folder}`,
    manifest: `${folder}/manifest.json`,
    data: `${folder}/${dataFolder(owner, checkpoint)}/`,
  };
}
