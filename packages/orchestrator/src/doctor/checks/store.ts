import type { Plan } from '@her/configs';
import { HerError } from '../../errors.ts';
import { type Finding, fail, ok } from '../finding.ts';

export type StoreSpec = NonNullable<Plan['store']>;

/** Writes a small object below the prefix and removes it again. @throws with what went wrong */
export type TryStore = (store: StoreSpec) => Promise<void>;

/** Whether this side, which signs the uploads of the nodes, may write to the store of the study. */
export async function storeFindings(store: Plan['store'], tryStore: TryStore): Promise<Finding[]> {
  if (store === null) return [];
  const place = { check: 'store', node: null };
  try {
    await tryStore(store);
    return [{ ...place, ...ok(`${store.to} can be written`) }];
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const known = error instanceof HerError ? error : undefined;
    const remedy =
      known === undefined || known.code === 'STORE_UNREACHABLE'
        ? 'Check bucket, endpoint, region and the credentials of this machine (AWS_PROFILE, AWS_ACCESS_KEY_ID).'
        : known.hint;
    const found = fail(`${store.to}: ${words.split('\n')[0]}`, remedy);
    return [{ ...place, ...found, ...(known === undefined ? {} : { code: known.code }) }];
  }
}
