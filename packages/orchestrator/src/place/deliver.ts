import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { HerError } from '../errors.ts';
import type { Along } from '../targets/target.ts';
import { askNode, type NodeSide } from './node-side.ts';
import type { Parcel } from './parcel.ts';
import { counted } from './progress.ts';

const place = z.number().int().min(0);
const wantReply = z.object({ missing: z.array(z.tuple([place, place])), skip: place, bytes: place });
const receiveReply = z.object({ files: place });
const sealReply = z.object({ path: z.string().startsWith('/') });
const haveReply = z.object({ path: z.string().startsWith('/').nullable() });

export type Patience = {
  /** Milliseconds between tries. */
  pause: number;
  /** Milliseconds without a byte arriving after which it is given up. */
  most: number;
};

const usual: Patience = { pause: 2000, most: 600_000 };

/** A word of the command line holds 128 KB. */
const mostRanges = 4000;

/** Where a node has something that was brought to it before; its bytes are held against the digest each time. */
export async function inStore(to: NodeSide, digest: string, signal: AbortSignal): Promise<string | null> {
  const args = ['place-have', '--root', to.root, '--digest', digest];
  return (await askNode(to, args, haveReply, { timeout: null, signal })).path;
}

/**
 * Brings files to a node and says where they are there. A line that is cut is waited for, and what arrived is not sent
 * again; another who brings the same there is waited for too.
 * @throws {HerError} `DISK_FULL`, `INPUT_CHANGED` where other bytes arrived than announced, `AGENT_UNREACHABLE`
 */
export async function deliver(
  to: NodeSide,
  parcel: Parcel,
  { say, signal }: Along,
  patience: Patience = usual,
): Promise<string> {
  const named = ['--root', to.root, '--digest', parcel.digest, ...(parcel.single ? ['--single'] : [])];
  const list = JSON.stringify({
    files: parcel.files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
  });
  const label = `${to.name}: ${parcel.label}`;
  let left = Number.POSITIVE_INFINITY;
  let last = Date.now();
  let told = '';
  for (;;) {
    signal.throwIfAborted();
    try {
      const wanted = await askNode(to, ['place-want', ...named], wantReply, {
        input: list,
        timeout: null,
        signal,
      });
      if (wanted.missing.length === 0)
        return (await askNode(to, ['place-seal', ...named], sealReply, { timeout: null, signal })).path;
      if (wanted.bytes < left) last = Date.now();
      left = wanted.bytes;
      await send(to, parcel, wanted, named, label, { say, signal });
    } catch (error) {
      const why = passing(error);
      if (signal.aborted || why === null) throw error;
      if (why === 'busy') {
        const found = await inStore(to, parcel.digest, signal).catch(() => null);
        if (found !== null) return found;
      } else if (Date.now() - last > patience.most) throw error;
      if (told !== why)
        say(
          `${label}: ${why === 'busy' ? 'another brings it there; waiting' : 'the line broke; it goes on from there'}`,
        );
      told = why;
      await sleep(patience.pause, undefined, { signal });
    }
  }
}

async function send(
  to: NodeSide,
  parcel: Parcel,
  { missing, skip, bytes }: z.infer<typeof wantReply>,
  named: readonly string[],
  label: string,
  { say, signal }: Along,
): Promise<void> {
  const over = new AbortController();
  const ranges = missing.slice(0, mostRanges);
  const source = counted(
    parcel.open(ranges, skip, AbortSignal.any([signal, over.signal])),
    bytes,
    label,
    say,
  );
  try {
    const options = { input: source.chunks, timeout: null, signal };
    await askNode(to, ['place-receive', ...named], receiveReply, options);
  } catch (error) {
    // What broke where it comes from explains what broke where it goes to.
    if (source.failure !== null && !signal.aborted) throw source.failure;
    throw error;
  } finally {
    over.abort();
  }
}

/** Whether it may be over by itself in a while, and how to say so. */
function passing(error: unknown): 'busy' | 'cut' | null {
  if (!(error instanceof HerError)) return null;
  if (error.agentCode === 'busy') return 'busy';
  return error.code === 'AGENT_UNREACHABLE' || error.agentCode === 'torn' ? 'cut' : null;
}
