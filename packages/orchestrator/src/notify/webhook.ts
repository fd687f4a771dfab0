import { networkWords } from '../ssh/unreachable.ts';
import type { Delivery, Send } from './deliver.ts';

/** Seconds for an answer, and the longest wait that a receiver may ask for. */
const patience = 10;
const longest = 60;

/** Posts a message as JSON. The address is a secret: no word of it gets into what is said of the delivery. */
export function webhookSend(address: () => Promise<string>): Send {
  return async (message, signal) => {
    const url = parsed(await address());
    if (url === undefined) return refused('its address is no http:// or https:// address');
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'her' },
        body: message,
        // What is meant for one receiver is not handed to another that it names.
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(patience * 1000)]),
      });
      await response.body?.cancel();
      return judged(response);
    } catch (error) {
      return { done: false, why: wordsOf(error), again: true };
    }
  };
}

function judged({ status, headers }: Response): Delivery {
  if (status >= 200 && status < 300) return { done: true };
  if (status >= 300 && status < 400)
    return refused(`it answered ${status}, another address, which is not followed`);
  if (status !== 429 && status < 500) return refused(`it answered ${status}`);
  const asked = Number(headers.get('retry-after') ?? Number.NaN);
  const after = Number.isFinite(asked) && asked >= 0 ? { after: Math.min(asked, longest) * 1000 } : {};
  return { done: false, why: `it answered ${status}`, again: true, ...after };
}

function refused(why: string): Delivery {
  return { done: false, why, again: false };
}

function parsed(address: string): URL | undefined {
  const url = URL.parse(address.trim());
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** The network's own messages name hosts; only what their codes mean is said. */
function wordsOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${patience} s`;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return code === undefined ? 'it cannot be reached' : networkWords({ code, message: code });
}
