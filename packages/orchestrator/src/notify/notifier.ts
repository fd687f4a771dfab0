import { createHash } from 'node:crypto';
import type { Plan } from '@her/configs';
import { pause } from '../reconcile/pause.ts';
import { NoSecret, readSecret, type Sources } from '../secrets/read-secret.ts';
import { commandSend } from './command.ts';
import type { Delivery, Send } from './deliver.ts';
import { messageOf, type Notice } from './notice.ts';
import { webhookSend } from './webhook.ts';

type Spec = Plan['notify'][number];

/** Kept of a delivery: which news, to whom, and whether it arrived. */
export type Told = {
  id: string;
  to: string;
  notice: Notice;
  of: Notice['of'];
  delivered: boolean;
  why: string | null;
};

export type NotifierOptions = {
  sources: Sources;
  /** Ids of the news that arrived before. */
  told: ReadonlySet<string>;
  remember(told: Told): Promise<void>;
  /** Milliseconds before the second try; the third waits twice as long. */
  backoff?: number;
};

/** Nothing here fails a run: what could not be delivered is said once. */
export type Notifier = {
  notify(notice: Notice): void;
  /** Waits until all that was to be told is told, or could not be. */
  settle(): Promise<void>;
};

const tries = 3;

export function openNotifier(specs: readonly Spec[], options: NotifierOptions): Notifier {
  const receivers = specs.map((spec, i) => openReceiver(spec, i, options));
  return {
    notify: (notice) => {
      for (const receiver of receivers) receiver.tell(notice);
    },
    settle: async () => {
      await Promise.all(receivers.map(({ settled }) => settled()));
    },
  };
}

type Receiver = { tell(notice: Notice): void; settled(): Promise<void> };

/** One receiver: it hears one thing after the other, each once. */
function openReceiver(spec: Spec, index: number, options: NotifierOptions): Receiver {
  const { sources, remember, backoff = 1_000 } = options;
  const { say, signal } = sources;
  const kind = 'webhook' in spec ? 'webhook' : 'command';
  const to = `${kind} ${index + 1}`;
  const { on, ...place } = spec;
  const send =
    'webhook' in spec ? webhookSend(() => addressOf(spec.webhook, to, sources)) : commandSend(spec.command);
  const taken = new Set(options.told);
  let last: Promise<void> = Promise.resolve();

  const deliver = async (notice: Notice, [event, ...more]: Notice['of'], id: string): Promise<void> => {
    const message = JSON.stringify(messageOf(notice, event, id, new Date()));
    const result = await patiently(send, message, backoff, signal);
    // One that was let go is told by the next run.
    if (!result.done && signal.aborted) return;
    if (!result.done) say(`${to} of \`notify\` could not be told: ${result.why}`);
    const why = result.done ? null : result.why;
    await remember({ id, to, notice, of: [event, ...more], delivered: result.done, why });
  };

  return {
    tell: (notice) => {
      const [event, ...more] = notice.of.filter((one) => on.includes(one));
      const id = createHash('sha256')
        .update(`${JSON.stringify(place)}\n${notice.key}`)
        .digest('hex');
      if (event === undefined || taken.has(id)) return;
      taken.add(id);
      last = last
        .then(() => deliver(notice, [event, ...more], id))
        .catch((error: unknown) =>
          say(`${to} of \`notify\`: ${error instanceof Error ? error.message : String(error)}`),
        );
    },
    settled: () => last,
  };
}

async function patiently(
  send: Send,
  message: string,
  backoff: number,
  signal: AbortSignal,
): Promise<Delivery> {
  for (let number = 1; ; number += 1) {
    const result = await once(send, message, signal);
    if (result.done || !result.again || number >= tries || signal.aborted) return result;
    await pause(result.after ?? backoff * 2 ** (number - 1) * (0.75 + Math.random() / 2), signal);
  }
}

async function once(send: Send, message: string, signal: AbortSignal): Promise<Delivery> {
  try {
    return await send(message, signal);
  } catch (error) {
    if (!(error instanceof NoSecret)) throw error;
    return { done: false, why: error.message, again: false };
  }
}

async function addressOf(
  webhook: Extract<Spec, { webhook: unknown }>['webhook'],
  to: string,
  sources: Sources,
): Promise<string> {
  return typeof webhook === 'string' ? webhook : readSecret(`of ${to}`, webhook, sources);
}
