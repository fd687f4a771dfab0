import { setTimeout as sleep } from 'node:timers/promises';
import type { HerError } from '../errors.ts';
import type { Connection } from './connection.ts';

const tries = 3;

/** Once more after a moment where the server hung up before it spoke: it does so when too many knock at once. */
export async function connectPatiently(connect: () => Promise<Connection>): Promise<Connection> {
  for (let at = 1; ; at += 1) {
    try {
      return await connect();
    } catch (error) {
      if (at === tries || !hungUp(error)) throw error;
      await sleep(at * (200 + 400 * Math.random()));
    }
  }
}

function hungUp(error: unknown): boolean {
  const { cause } = error as HerError;
  return cause instanceof Error && /^Connection lost before handshake$/.test(cause.message);
}
