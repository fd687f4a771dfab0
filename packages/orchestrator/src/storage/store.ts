import type { StoreSpec } from '@her/configs';
import { openClient } from './store-client.ts';
import { storeObjects } from './store-objects.ts';
import { storeUploads } from './store-uploads.ts';
import { storeUrls } from './store-urls.ts';

export type Store = ReturnType<typeof openStore>;

export type StoreOptions = {
  /** Tries of each request of ours. */
  tries?: number;
  /** Seconds that a node's URL is good for. */
  urlSeconds?: number;
};

/** A store of checkpoints. Its credentials never leave this process: nodes get URLs that are good for one request. */
export function openStore(spec: StoreSpec, { tries, urlSeconds }: StoreOptions = {}) {
  const opened = openClient(spec, tries);
  const { bucket } = opened;
  return {
    spec,
    bucket,
    ...storeObjects(opened),
    ...storeUploads(opened),
    ...storeUrls(opened, urlSeconds),
    close: (): void => opened.client.destroy(),
  };
}
