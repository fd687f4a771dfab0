import type { HerErrorCode } from '../errors.ts';
import type { LinksReply, ProbeReply, ReduceReply } from './probe-reply.ts';

/** How far a node's clock is ahead of ours, and by how much that may be wrong. Milliseconds. */
export type ClockReading = { offset: number; bound: number };

/** Where a connection to a node ended. */
export type Obstacle = {
  check: 'reach' | 'host key' | 'login' | 'python';
  what: string;
  remedy: string;
  code: HerErrorCode;
};

export type ReachedNode = {
  node: string;
  address: string | null;
  reached: true;
  /** Milliseconds for a command that does nothing, the connection's set-up included. */
  milliseconds: number;
  clock: ClockReading;
  facts: ProbeReply;
  links?: LinksReply | { problem: string };
  reduce?: ReduceReply | { problem: string };
};

export type NodeReport =
  | ReachedNode
  | { node: string; address: string | null; reached: false; obstacle: Obstacle };

/**
 * A node's clock by one question: it noted when it got it and when it answered, we when we sent it and had the answer.
 * Times in milliseconds.
 */
export function readClock(times: {
  sent: number;
  received: number;
  answered: number;
  back: number;
}): ClockReading {
  const { sent, received, answered, back } = times;
  const onTheWay = Math.max(0, back - sent - (answered - received));
  return { offset: (received - sent + (answered - back)) / 2, bound: onTheWay / 2 };
}
