import type { Job } from '@her/configs';
import { memberId } from '../agent/members.ts';
import { HerError } from '../errors.ts';
import { askedAgain } from '../targets/agent-answer.ts';
import type { Node } from '../targets/target.ts';
import { askStatus } from './ask-status.ts';
import { bury, buryNode, stoppedBefore, type Verdict } from './bury.ts';
import { batches } from './event-stream.ts';
import { gangEnding } from './gang-end.ts';
import { ingest } from './ingest.ts';
import { pause } from './pause.ts';
import { beginAttempt } from './start.ts';
import { type AttemptState, jobState, seqOf } from './state.ts';
import { stopNodes } from './stop-nodes.ts';
import { Unknowns } from './unknowns.ts';
import { record, type World } from './world.ts';

/** Milliseconds without a line (heartbeats come every 5 s) after which the agent is asked how it is. */
const quiet = 15_000;
/**
 * The same for the first line of a stream, doubled after each that brought none: on a node without a processor to
 * spare its start takes long, and to start it over and over would be what keeps it busy.
 */
const opening = { first: 30_000, most: 240_000 };
/** Milliseconds between two streams of one attempt, so that one which ends at once is not asked in a spin. */
const pace = 250;
/** Milliseconds in which the agents of a gang end it by themselves, before those left are asked to. */
const gangGrace = 20_000;

/** One node of an attempt, as it is followed. */
type Member = { node: Node; id: string };

/**
 * Follows one attempt, from its decision on, until it has ended or the loop lets go. A node that cannot be reached
 * makes it `unknown`, and nothing else: it is asked again, less and less often.
 */
export async function followAttempt(world: World, job: Job, attempt: AttemptState): Promise<void> {
  const unknowns = new Unknowns(world, job, attempt);
  let there = attempt.startedAt !== null;
  // A node that is asked nothing has not been reached.
  if (!there)
    await unknowns.untilReached(attempt.nodes[0] ?? '', async () => {
      there = await beginAttempt(world, job, attempt);
    });
  if (attempt.ended !== null || world.signal.aborted || !there) return;
  const members = attempt.nodes.map((name, i) => ({
    node: world.target.node(name),
    id: memberId(attempt.id, i),
  }));
  const followed = members.map((member) => followMember(world, job, attempt, member, unknowns));
  const gang = endGang(world, job, attempt);
  await Promise.all(followed).finally(gang.letGo);
  if (attempt.nodes.length > 1 && attempt.ended === null && hasEnded(attempt))
    await record(world, [gangEnding(attempt)]);
}

function hasEnded(attempt: AttemptState): boolean {
  return attempt.ended !== null || attempt.nodes.every((node) => attempt.nodeEnds.has(node));
}

function isOver(attempt: AttemptState, { node }: Member): boolean {
  return attempt.ended !== null || attempt.nodeEnds.has(node.name);
}

async function followMember(
  world: World,
  job: Job,
  attempt: AttemptState,
  member: Member,
  unknowns: Unknowns,
): Promise<void> {
  let patience = opening.first;
  const reaped = { decided: false };
  while (!isOver(attempt, member) && !world.signal.aborted) {
    await unknowns.untilReached(member.node.name, async (reached) => {
      // It may have been out of reach when the stop was asked for.
      if (jobState(world.state, job.id).stopped)
        await stopNodes(world, job, attempt, 'stopped', [member.node.name]);
      const told = await readEvents(world, job, attempt, member, patience, reached);
      patience = told ? opening.first : Math.min(patience * 2, opening.most);
      if (isOver(attempt, member) || world.signal.aborted) return;
      await settle(world, job, attempt, member, reaped);
      await reached();
    });
    if (!isOver(attempt, member)) await pause(pace, world.signal);
  }
}

/**
 * The agents of a gang end it by themselves when one of them has; those that have not heard of it, because its agent
 * was killed or their link is down, are asked from here.
 */
function endGang(world: World, job: Job, attempt: AttemptState): { letGo: () => void } {
  if (attempt.nodes.length < 2) return { letGo: () => undefined };
  let since: number | null = null;
  const timer = setInterval(() => {
    const left = attempt.nodes.filter((node) => !attempt.nodeEnds.has(node));
    // One that ended well may be done long before another one has hashed what it made.
    const bad = [...attempt.nodeEnds.values()].find((end) => end.class !== null);
    if (left.length === 0 || bad === undefined) return;
    since ??= Date.now();
    if (Date.now() - since < gangGrace) return;
    since = Date.now();
    const reason = `gang: ${bad.node} ended (${bad.reason})`;
    stopNodes(world, job, attempt, reason, left).catch((error: unknown) =>
      world.observer.note(job, `the rest of the gang could not be stopped: ${String(error)}`),
    );
  }, 1_000);
  return { letGo: () => clearInterval(timer) };
}

/** Reads the stream until it ends, is quiet for too long, or the loop lets go. Returns whether it told anything. */
async function readEvents(
  world: World,
  job: Job,
  attempt: AttemptState,
  member: Member,
  patience: number,
  reached: () => Promise<void>,
): Promise<boolean> {
  const { node, id } = member;
  let told = false;
  const stream = new AbortController();
  const stop = () => stream.abort();
  world.signal.addEventListener('abort', stop, { once: true });
  let watchdog = setTimeout(stop, patience);
  let ingesting = false;
  try {
    const from = Math.max(1, seqOf(attempt, node.name));
    for await (const lines of batches(node.events(id, from, stream.signal))) {
      clearTimeout(watchdog);
      told = true;
      ingesting = true;
      world.observer.waiting?.(job, null);
      await ingest(world, job, attempt, node, lines);
      await reached();
      ingesting = false;
      watchdog = setTimeout(stop, quiet);
      if (isOver(attempt, member)) break;
    }
  } catch (error) {
    const gone = error instanceof HerError && error.agentCode === 'no-such-attempt';
    if (!gone && (ingesting || !stream.signal.aborted)) throw error;
  } finally {
    clearTimeout(watchdog);
    world.signal.removeEventListener('abort', stop);
    stop();
  }
  return told;
}

/** Positive evidence only: an agent proven gone is cleaned up after; whatever else it is, it is followed further. */
async function settle(
  world: World,
  job: Job,
  attempt: AttemptState,
  member: Member,
  reaped: { decided: boolean },
): Promise<void> {
  const { node, id } = member;
  const status = await askStatus(node, id);
  world.observer.waiting?.(job, status.waits ?? null);
  if (status.health === 'ended' && (status.lastSeq ?? 0) <= seqOf(attempt, node.name)) {
    throw new HerError('AGENT_FAILED', `${id} has ended, and its events do not say how`, {
      hint: `Look at ${await node.attemptPath(id, 'events.jsonl')} on ${node.name}.`,
    });
  }
  if (status.health === 'absent') return buryAbsent(world, job, attempt, member);
  if (status.health !== 'lost') return;
  const why = `the agent on ${node.name} (pid ${status.agentPid ?? 'unknown'}) is gone without an exit record; process groups left: ${status.orphans.length}`;
  const { study } = world.plan;
  if (!reaped.decided) {
    const decision = { action: 'reap', job: job.id, attempt: attempt.id, token: attempt.token, why } as const;
    await record(world, [{ kind: 'decision', study, ...decision }]);
    world.observer.note(job, why);
    reaped.decided = true;
  }
  // A reap of before, whose connection was lost, may still be at it.
  await askedAgain(node.reap(id, job.limits.grace), ['running']);
}

async function buryAbsent(world: World, job: Job, attempt: AttemptState, member: Member): Promise<void> {
  const { node, id } = member;
  const folder = await node.attemptPath(id, '');
  const never = !attempt.startedOn.has(node.name) && jobState(world.state, job.id).stopped;
  const gone = `the folder of the attempt is gone: ${folder} on ${node.name}`;
  if (!never) world.observer.note(job, gone);
  const verdict = never ? stoppedBefore : folderGone(gone);
  if (attempt.nodes.length > 1) await buryNode(world, job, attempt, node.name, verdict);
  else await bury(world, job, attempt, verdict);
}

function folderGone(cause: string): Verdict {
  return {
    reason: 'agent-lost',
    class: 'infrastructure',
    cause,
    remedy: 'It starts again from what other attempts left.',
    policy: 'retry',
  };
}
