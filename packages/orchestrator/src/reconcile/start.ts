import { randomUUID } from 'node:crypto';
import type { Job } from '@her/configs';
import type { EntryBody } from '@her/ledger';
import { HerError } from '../errors.ts';
import { bury } from './bury.ts';
import type { ResumePoint, Step } from './decide.ts';
import { pause } from './pause.ts';
import { newestWhole } from './resume-point.ts';
import { startRequest } from './start-request.ts';
import { type AttemptState, jobState } from './state.ts';
import { attemptIn, record, type World } from './world.ts';

/** Milliseconds after which a start that was under way when its `her` was killed has reached the agent, or never will. */
const inFlight = 1_000;

/** Writes the decision to start, with the checkpoint to go on from. Nothing is started yet: `beginAttempt` does that. */
export async function decideStart(world: World, step: Extract<Step, { do: 'start' }>): Promise<AttemptState> {
  const { job, attempt } = step;
  const resume = await newestWhole(world, job, step.resumeFrom);
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
      after: resume?.attempt ?? null,
      ...(resume === null ? {} : { resumeFrom: resume }),
    },
  ]);
  return attemptIn(world, job, attempt);
}

/**
 * Starts an attempt that was decided, now or by a `her` that was killed since: the agent takes a repetition for what
 * it is. A job that was stopped meanwhile is not started; an agent that refuses is an end, with its reason.
 */
export async function beginAttempt(world: World, job: Job, attempt: AttemptState): Promise<void> {
  if (jobState(world.state, job.id).stopped || world.until !== null)
    return leaveUnstarted(world, job, attempt);
  const { target, plan, state, locate } = world;
  const resume = attempt.decidedFrom;
  const request = startRequest({
    plan,
    state,
    target,
    job,
    attempt: attempt.id,
    token: attempt.token,
    resume,
    locate,
  });
  try {
    const reply = await target.start(request);
    await record(world, [
      await fingerprint(world, job, attempt),
      startedEntry(world, job, attempt, reply, resume),
    ]);
  } catch (error) {
    if (!(error instanceof HerError) || error.code !== 'AGENT_FAILED' || !refusals.has(error.agentCode ?? ''))
      throw error;
    await bury(world, job, attempt, {
      reason: 'not-started',
      class: error.agentCode === 'disk-full' ? 'resource' : 'configuration',
      cause: `the agent refused to start it: ${error.message}`,
      remedy: error.hint ?? 'Mend what it names, then `her resume JOB` and `her run`.',
      policy: 'stop',
    });
  }
}

/** Answers of the agent after which nothing of the attempt runs. */
const refusals = new Set(['bad-request', 'input-missing', 'disk-full', 'bad-attempt-id']);

/** A stop came between the decision and the start: what the agent never heard of is over; what it has is followed. */
async function leaveUnstarted(world: World, job: Job, attempt: AttemptState): Promise<void> {
  const { target } = world;
  let { health } = await target.status(attempt.id);
  if (health === 'absent') {
    await pause(inFlight, world.signal);
    ({ health } = await target.status(attempt.id));
  }
  if (health !== 'absent')
    return target.stop(attempt.id, 'stopped before its start was recorded', job.limits.grace);
  if (!jobState(world.state, job.id).stopped) return;
  await bury(world, job, attempt, {
    reason: 'stopped',
    class: 'stopped',
    cause: 'it was stopped before it was started',
    remedy: '`her resume JOB` lifts the stop.',
    policy: 'stop',
  });
}

type Started = Awaited<ReturnType<World['target']['start']>>;

function startedEntry(
  world: World,
  job: Job,
  attempt: AttemptState,
  reply: Started,
  resumedFrom: ResumePoint | null,
): EntryBody {
  const { plan, target } = world;
  const { pid, bootId, agent } = reply;
  const head = {
    study: plan.study,
    job: job.id,
    attempt: attempt.id,
    target: target.name,
    node: target.node,
  };
  return { kind: 'attempt.started', ...head, token: attempt.token, pid, bootId, agent, resumedFrom };
}

async function fingerprint(world: World, job: Job, attempt: AttemptState): Promise<EntryBody> {
  const { digest, facts } = await world.target.fingerprint(job.environment);
  const head = { study: world.plan.study, job: job.id, attempt: attempt.id, node: world.target.node };
  return { kind: 'environment', ...head, digest, facts };
}
