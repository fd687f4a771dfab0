import type { Job } from '@her/configs';
import { HerError } from '../errors.ts';
import { bury } from './bury.ts';
import { batches } from './event-stream.ts';
import { ingest } from './ingest.ts';
import { pause } from './pause.ts';
import { beginAttempt } from './start.ts';
import type { AttemptState } from './state.ts';
import { record, type World } from './world.ts';

/** Milliseconds without a line (heartbeats come every 5 s) after which the agent is asked how it is. */
const quiet = 15_000;
/** Milliseconds between two streams of one attempt, so that one which ends at once is not asked in a spin. */
const pace = 250;
const backoff = { first: 1_000, most: 60_000 };

/**
 * Follows one attempt, from its decision on, until it has ended or the loop lets go. A node that cannot be reached
 * makes it `unknown`, and nothing else: it is asked again, less and less often.
 */
export async function followAttempt(world: World, job: Job, attempt: AttemptState): Promise<void> {
  let unknownSince: Date | null = null;
  let wait = backoff.first;
  const reached = (): void => {
    if (unknownSince !== null) world.observer.known(job);
    unknownSince = null;
    wait = backoff.first;
  };
  while (attempt.ended === null && !world.signal.aborted) {
    try {
      if (attempt.startedAt === null) await beginAttempt(world, job, attempt);
      if (attempt.ended !== null) break;
      await readEvents(world, job, attempt, reached);
      if (attempt.ended !== null || world.signal.aborted) break;
      await settle(world, job, attempt);
      reached();
      await pause(pace, world.signal);
    } catch (error) {
      if (!(error instanceof HerError) || error.code !== 'AGENT_UNREACHABLE') throw error;
      if (world.signal.aborted) return;
      unknownSince ??= new Date();
      world.observer.unknown(job, unknownSince, error.message);
      await pause(wait * (0.75 + Math.random() / 2), world.signal);
      wait = Math.min(wait * 2, backoff.most);
    }
  }
}

/** Reads the stream until it ends, is quiet for too long, or the loop lets go. */
async function readEvents(world: World, job: Job, attempt: AttemptState, reached: () => void): Promise<void> {
  const stream = new AbortController();
  const stop = () => stream.abort();
  world.signal.addEventListener('abort', stop, { once: true });
  let watchdog = setTimeout(stop, quiet);
  let ingesting = false;
  try {
    for await (const lines of batches(
      world.target.events(attempt.id, Math.max(1, attempt.lastSeq), stream.signal),
    )) {
      clearTimeout(watchdog);
      ingesting = true;
      await ingest(world, job, attempt, lines);
      ingesting = false;
      reached();
      watchdog = setTimeout(stop, quiet);
      if (attempt.ended !== null) return;
    }
  } catch (error) {
    const gone = error instanceof HerError && error.agentCode === 'no-such-attempt';
    if (!gone && (ingesting || !stream.signal.aborted)) throw error;
  } finally {
    clearTimeout(watchdog);
    world.signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Positive evidence only: an agent proven gone is cleaned up after; whatever else it is, it is followed further. */
async function settle(world: World, job: Job, attempt: AttemptState): Promise<void> {
  const status = await askStatus(world, attempt);
  if (status.health === 'ended' && (status.lastSeq ?? 0) <= attempt.lastSeq) {
    throw new HerError('AGENT_FAILED', `${attempt.id} has ended, and its events do not say how`, {
      hint: `Look at ${world.target.attemptPath(attempt.id, 'events.jsonl')} on ${world.target.node}.`,
    });
  }
  if (status.health === 'absent') return buryAbsent(world, job, attempt);
  if (status.health !== 'lost') return;
  const why = `the agent (pid ${status.agentPid ?? 'unknown'}) is gone without an exit record; process groups left: ${status.orphans.length}`;
  const { study } = world.plan;
  await record(world, [
    { kind: 'decision', study, action: 'reap', job: job.id, attempt: attempt.id, token: attempt.token, why },
  ]);
  world.observer.note(job, why);
  await world.target.reap(attempt.id, job.limits.grace);
}

/** Another machine's word on an attempt (a shared folder, a new host name) proves nothing about it. */
async function askStatus(world: World, attempt: AttemptState) {
  try {
    return await world.target.status(attempt.id);
  } catch (error) {
    if (!(error instanceof HerError) || error.agentCode !== 'other-node') throw error;
    throw new HerError('AGENT_UNREACHABLE', error.message, { cause: error });
  }
}

async function buryAbsent(world: World, job: Job, attempt: AttemptState): Promise<void> {
  const folder = world.target.attemptPath(attempt.id, '');
  world.observer.note(job, `its folder is gone: ${folder}`);
  await bury(world, job, attempt, {
    reason: 'agent-lost',
    class: 'infrastructure',
    cause: `the folder of the attempt is gone from its node: ${folder}`,
    remedy: 'It starts again from what other attempts left.',
    policy: 'retry',
  });
}
