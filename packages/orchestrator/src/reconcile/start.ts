import { randomUUID } from 'node:crypto';
import type { Job } from '@her/configs';
import type { EntryBody } from '@her/ledger';
import { memberId } from '../agent/members.ts';
import type { StartReply, StartRequest } from '../agent/protocol.ts';
import { HerError } from '../errors.ts';
import type { Node } from '../targets/target.ts';
import { askStatus } from './ask-status.ts';
import { bury, stoppedBefore } from './bury.ts';
import type { Step } from './decide.ts';
import { placeInputs } from './inputs.ts';
import { pause } from './pause.ts';
import { newestWhole } from './resume-point.ts';
import { startRequest } from './start-request.ts';
import { type AttemptState, jobState } from './state.ts';
import { stopNodes } from './stop-nodes.ts';
import { attemptIn, record, type World } from './world.ts';

/** Milliseconds after which a start that was under way when its `her` was killed has reached the agent, or never will. */
const inFlight = 1_000;

/**
 * Writes the decision to start, with the checkpoint to go on from. Nothing is started yet: `beginAttempt` does that.
 * @returns null where the job was stopped, or the loop let go, before that
 */
export async function decideStart(
  world: World,
  step: Extract<Step, { do: 'start' }>,
): Promise<AttemptState | null> {
  const { job, attempt } = step;
  const resume = await newestWhole(world, job, step.resumeFrom);
  if (resume === undefined || world.signal.aborted || jobState(world.state, job.id).stopped) return null;
  const from = resume === null ? '' : `; from checkpoint ${resume.step} of ${resume.attempt}`;
  await record(world, [
    {
      kind: 'decision',
      study: world.plan.study,
      action: resume === null ? 'start' : 'resume',
      job: job.id,
      attempt,
      token: randomUUID(),
      why: `${step.why}${from}`,
      nodes: step.nodes,
      after: resume?.attempt ?? null,
      ...(resume === null ? {} : { resumeFrom: resume }),
    },
  ]);
  return attemptIn(world, job, attempt);
}

/**
 * Starts an attempt that was decided, now or by a `her` that was killed since: the agent takes a repetition for what
 * it is. A job that was stopped meanwhile is not started; an agent that refuses is an end, with its reason.
 * @returns whether there is something to follow
 */
export async function beginAttempt(world: World, job: Job, attempt: AttemptState): Promise<boolean> {
  const unwanted = () => jobState(world.state, job.id).stopped || world.until !== null;
  if (unwanted()) return leaveUnstarted(world, job, attempt);
  const nodes = attempt.nodes.map((name) => world.target.node(name));
  try {
    const requests = await requestsFor(world, job, attempt, nodes);
    // Inputs may have taken hours.
    if (unwanted()) return leaveUnstarted(world, job, attempt);
    const replies = await world.target.startGang(requests);
    for (const node of nodes) {
      const reply = replies.get(node.name);
      if (reply === undefined) throw new TypeError(`the target did not say how ${node.name} started`);
      if (attempt.startedOn.has(node.name)) continue;
      await record(world, [
        await fingerprint(world, job, attempt, node),
        startedEntry(world, job, attempt, node, reply),
      ]);
    }
    return true;
  } catch (error) {
    if (!(error instanceof HerError) || !isRefusal(error)) throw error;
    if (nodes.length > 1) await stopNodes(world, job, attempt, 'another node refused to start');
    await bury(world, job, attempt, {
      reason: 'not-started',
      class: error.agentCode === 'disk-full' ? 'resource' : 'configuration',
      cause: `it could not be started: ${error.message}`,
      remedy: error.hint ?? 'Mend what it names, then `her resume JOB` and `her run`.',
      policy: 'stop',
    });
    return false;
  }
}

/** Answers of the agent after which nothing of the attempt runs there. */
const refusals = new Set([
  'bad-request',
  'input-missing',
  'disk-full',
  'bad-attempt-id',
  'port-taken',
  'gang-address',
]);

/** What no repetition would mend; everything else is told to the person, and the decision stays. */
function isRefusal(error: HerError): boolean {
  if (error.code === 'INPUT_MISSING' || error.code === 'INPUT_CHANGED') return true;
  return error.code === 'AGENT_FAILED' && refusals.has(error.agentCode ?? '');
}

async function requestsFor(
  world: World,
  job: Job,
  attempt: AttemptState,
  nodes: readonly Node[],
): Promise<Map<string, StartRequest>> {
  const secrets = await world.secrets();
  const gangKey = nodes.length > 1 ? await world.gangKey(attempt.id, attempt.token) : null;
  const address = nodes.length > 1 ? ((await nodes[0]?.address()) ?? null) : null;
  const built = nodes.map(async (node): Promise<[string, StartRequest]> => {
    const env = await node.baseEnv(job.environment);
    const inputs = await placeInputs(world, job, attempt, node);
    const place = { nodes, node, address, env, inputs };
    const request = startRequest({ job, attempt, ...place, secrets, gangKey });
    return [node.name, await node.inEnvironment(job.environment, request)];
  });
  return new Map(await Promise.all(built));
}

/** A stop came between the decision and the start: what the agent never heard of is over; what it has is followed. */
async function leaveUnstarted(world: World, job: Job, attempt: AttemptState): Promise<boolean> {
  if (!jobState(world.state, job.id).stopped) return false;
  if ((await healthOf(world, attempt)) === 'there') {
    await stopNodes(world, job, attempt, 'stopped before its start was recorded');
    return true;
  }
  await bury(world, job, attempt, stoppedBefore);
  return false;
}

/** Whether any of its nodes has ever heard of an attempt. One that is out of reach does not hide that another has. */
async function healthOf(world: World, attempt: AttemptState): Promise<'absent' | 'there'> {
  const heard = async (): Promise<boolean> => {
    const asked = attempt.nodes.map((name, i) => askStatus(world.target.node(name), memberId(attempt.id, i)));
    const told = await Promise.allSettled(asked);
    if (told.some((one) => one.status === 'fulfilled' && one.value.health !== 'absent')) return true;
    const silent = told.find((one) => one.status === 'rejected');
    if (silent !== undefined) throw silent.reason;
    return false;
  };
  if (await heard()) return 'there';
  await pause(inFlight, world.signal);
  return (await heard()) ? 'there' : 'absent';
}

function startedEntry(
  world: World,
  job: Job,
  attempt: AttemptState,
  node: Node,
  { pid, bootId, agent }: StartReply,
): EntryBody {
  const head = { study: world.plan.study, job: job.id, attempt: attempt.id };
  const where = { target: world.target.name, node: node.name };
  const { token, decidedFrom: resumedFrom } = attempt;
  return { kind: 'attempt.started', ...head, ...where, token, pid, bootId, agent, resumedFrom };
}

async function fingerprint(world: World, job: Job, attempt: AttemptState, node: Node): Promise<EntryBody> {
  const { digest, facts } = await node.fingerprint(job.environment);
  const head = { study: world.plan.study, job: job.id, attempt: attempt.id, node: node.name };
  return { kind: 'environment', ...head, digest, facts };
}
