import { HerError } from '../errors.ts';
import { pause } from '../reconcile/pause.ts';
import { backoff } from './backoff.ts';

/** How a request to the store failed on a node. */
export type Failed = { status: number | null; code: string };

/** Tries of one request before the whole upload or download is given up for now. */
const mostTries = 7;
/** Of an answer that asking again rarely changes: a URL that ran out is one, a denial another. */
const mostRefusals = 3;

/** Waits before a node's request is made again; bounded, for each by its name. */
export function retries({ first }: { first?: number } = {}) {
  const tries = new Map<string, number>();
  return {
    after: async (name: string, failed: Failed, path: string, signal: AbortSignal): Promise<void> => {
      const count = (tries.get(name) ?? 0) + 1;
      tries.set(name, count);
      const refused = isRefusal(failed);
      if (count >= (refused ? mostRefusals : mostTries))
        throw new HerError(
          refused ? 'STORE_REFUSED' : 'STORE_UNREACHABLE',
          `the store did not take or give ${path} on the node: ${wordsOf(failed)}, ${count} times`,
          refused
            ? {
                hint: 'Can the node reach the store under that name, and is its proxy one for the store too?',
              }
            : {},
        );
      await pause(backoff(count, first === undefined ? {} : { first }), signal);
    },
  };
}

function isRefusal({ status }: Failed): boolean {
  return status !== null && status < 500 && ![408, 409, 425, 429].includes(status) && status >= 300;
}

function wordsOf({ status, code }: Failed): string {
  return [status === null ? '' : `HTTP ${status}`, code].filter(Boolean).join(' ') || 'no answer';
}
