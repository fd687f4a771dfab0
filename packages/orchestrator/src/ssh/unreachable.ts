import { HerError } from '../errors.ts';

/** A host that did not answer, or a connection that broke: it says nothing of what runs there. */
export function notReached(host: string, why: string, cause?: unknown): HerError {
  return new HerError('AGENT_UNREACHABLE', `${host} cannot be reached: ${why}`, { cause });
}

/** What the network said, in words. */
export function networkWords(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (cause instanceof AggregateError && cause.errors.length > 0) return networkWords(cause.errors.at(-1));
  return (code === undefined ? undefined : words[code]) ?? message ?? String(cause);
}

const words: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  EHOSTUNREACH: 'no route to it',
  ENETUNREACH: 'no network leads to it',
  EHOSTDOWN: 'it is down',
  ETIMEDOUT: 'it did not answer in time',
  ENOTFOUND: 'no such name',
  EAI_AGAIN: 'its name could not be looked up now',
};
