import type { Job } from '@her/configs';
import type { EntryBody } from '@her/ledger';
import { type AgentEvent, agentEvent, errorReply } from '../agent/protocol.ts';
import { HerError } from '../errors.ts';
import { proveResume } from './resume-proof.ts';
import { scoreEntries } from './scores.ts';
import { type AttemptState, jobState } from './state.ts';
import { translate } from './translate.ts';
import { record, type World } from './world.ts';

/** Milliseconds without a line (heartbeats come every 5 s) after which the agent is asked how it is. */
const quiet = 15_000;
/** Milliseconds between two streams of one attempt, so that one which ends at once is not asked in a spin. */
const pace = 250;
const backoff = { first: 1_000, most: 60_000 };

/** Follows one attempt until it has ended or the loop lets go. Each event becomes entries exactly once. */
export async function followAttempt(world: World, job: Job, attempt: AttemptState): Promise<void> {
  let unknownSince: Date | null = null;
  let wait = backoff.first;
  while (attempt.ended === null && !world.signal.aborted) {
    try {
      await readEvents(world, job, attempt);
      if (attempt.ended !== null || world.signal.aborted) break;
      await settle(world, job, attempt);
      await pause(pace, world.signal);
      if (unknownSince !== null) world.observer.known(job);
      unknownSince = null;
      wait = backoff.first;
    } catch (error) {
      if (world.signal.aborted) return;
      if (!(error instanceof HerError) || error.code !== 'AGENT_UNREACHABLE') throw error;
      unknownSince ??= new Date();
      world.observer.unknown(job, unknownSince, error.message);
      await pause(wait * (0.75 + Math.random() / 2), world.signal);
      wait = Math.min(wait * 2, backoff.most);
    }
  }
}

/** Reads the stream until it ends, is quiet for too long, or the loop lets go. */
async function readEvents(world: World, job: Job, attempt: AttemptState): Promise<void> {
  const stream = new AbortController();
  const stop = () => stream.abort();
  world.signal.addEventListener('abort', stop, { once: true });
  let watchdog = setTimeout(stop, quiet);
  try {
    // The event after which the ledger stopped is asked for again: it may have become several entries, not all written.
    for await (const lines of batches(
      world.target.events(attempt.id, Math.max(1, attempt.lastSeq), stream.signal),
    )) {
      clearTimeout(watchdog);
      watchdog = setTimeout(stop, quiet);
      await ingest(world, job, attempt, lines);
      if (attempt.ended !== null) return;
    }
  } catch (error) {
    if (!stream.signal.aborted) throw error;
  } finally {
    clearTimeout(watchdog);
    world.signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Positive evidence only: an agent proven gone is cleaned up after; whatever else it is, it is followed further. */
async function settle(world: World, job: Job, attempt: AttemptState): Promise<void> {
  const status = await world.target.status(attempt.id);
  if (status.health !== 'lost') return;
  const why = `the agent (pid ${status.agentPid ?? 'unknown'}) is gone without an exit record; process groups left: ${status.orphans.length}`;
  const { study } = world.plan;
  await record(world, [
    { kind: 'decision', study, action: 'reap', job: job.id, attempt: attempt.id, token: attempt.token, why },
  ]);
  world.observer.note(job, why);
  await world.target.reap(attempt.id, job.limits.grace);
}

async function ingest(
  world: World,
  job: Job,
  attempt: AttemptState,
  lines: readonly string[],
): Promise<void> {
  const { plan, target, ledger } = world;
  const context = {
    study: plan.study,
    node: target.node,
    job,
    attempt,
    putBlob: (text: string) => ledger.putBlob(text),
  };
  const bodies: EntryBody[] = [];
  const hadFirst = attempt.firstStep !== null;
  let seen = attempt.lastSeq;
  for (const line of lines) {
    const event = parseEvent(line);
    if (event.seq < seen || (event.seq === seen && event.type !== 'seeds')) continue;
    if (event.seq > seen + 1)
      throw new HerError(
        'AGENT_FAILED',
        `events ${seen + 1} to ${event.seq - 1} of ${attempt.id} are missing`,
      );
    seen = event.seq;
    if (event.type === 'ended' && job.kind === 'evaluate' && 'code' in event && event.code === 0) {
      bodies.push(...scoreEntries(await target.readFile(attempt.id, 'out/scores.json'), context));
    }
    bodies.push(...(await translate(event, context)));
  }
  await record(world, bodies);
  attempt.lastSeq = Math.max(attempt.lastSeq, seen);
  if (!hadFirst && attempt.firstStep !== null && attempt.resumedFrom !== null)
    await recordProof(world, job, attempt);
  if (bodies.some((body) => body.kind === 'metric')) world.observer.progressed(job, attempt);
}

async function recordProof(world: World, job: Job, attempt: AttemptState): Promise<void> {
  const { firstStep, resumedFrom } = attempt;
  if (firstStep === null || resumedFrom === null || attempt.proof !== null) return;
  const earlier = jobState(world.state, job.id).attempts.filter((other) => other !== attempt);
  const logged = (step: number) =>
    earlier.map((other) => other.history.get(step)).find((entry) => entry !== undefined);
  const before = logged(firstStep.step);
  const { status, checks } = proveResume({
    from: resumedFrom.step,
    first: firstStep,
    before: before ?? null,
    at: logged(resumedFrom.step)?.values ?? null,
    start: logged(1)?.values ?? null,
    level: job.reproducibility.level,
  });
  await record(world, [
    { kind: 'resume.proved', study: world.plan.study, job: job.id, attempt: attempt.id, status, checks },
  ]);
}

function parseEvent(line: string): AgentEvent {
  const value: unknown = JSON.parse(line);
  const parsed = agentEvent.safeParse(value);
  if (parsed.success) return parsed.data;
  const refused = errorReply.safeParse(value);
  if (refused.success) throw new HerError('AGENT_FAILED', refused.data.error.message);
  throw new HerError('AGENT_FAILED', `an event that cannot be read: ${line.slice(0, 200)}`);
}

/** Gathers the lines that arrive while the last batch is written, so that one disk sync serves them all. */
async function* batches(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  const waiting: string[] = [];
  let done = false;
  let failure: unknown;
  let wake = (): void => undefined;
  const pump = (async () => {
    for await (const line of lines) {
      if (line !== '') waiting.push(line);
      wake();
    }
  })()
    .catch((error: unknown) => {
      failure = error ?? new Error('the event stream failed');
    })
    .finally(() => {
      done = true;
      wake();
    });
  while (!done || waiting.length > 0) {
    if (waiting.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    yield waiting.splice(0);
  }
  await pump;
  if (failure !== undefined) throw failure;
}

export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, milliseconds);
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    }
    signal.addEventListener('abort', finish, { once: true });
  });
}
