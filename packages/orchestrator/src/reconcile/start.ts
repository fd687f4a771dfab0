import { randomUUID } from 'node:crypto';
import type { Job } from '@her/configs';
import type { EntryBody } from '@her/ledger';
import type { ResumePoint, Step } from './decide.ts';
import { startRequest } from './start-request.ts';
import type { AttemptState } from './state.ts';
import { attemptIn, record, type World } from './world.ts';

/** Decides (in the ledger), then starts. A crash between the two is mended by `finishStart` with the same token. */
export async function startAttempt(
  world: World,
  step: Extract<Step, { do: 'start' }>,
): Promise<AttemptState> {
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
    },
  ]);
  return finishStart(world, job, attemptIn(world, job, attempt), resume);
}

/** Starts an attempt that was decided. The agent takes a repetition for what it is. */
export async function finishStart(
  world: World,
  job: Job,
  attempt: AttemptState,
  resume: ResumePoint | null,
): Promise<AttemptState> {
  const { target, plan, state, locate } = world;
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
  const reply = await target.start(request);
  const resumedFrom =
    resume === null
      ? null
      : { attempt: resume.attempt, step: resume.step, path: resume.path, digest: resume.digest };
  await record(world, [
    {
      kind: 'attempt.started',
      study: plan.study,
      job: job.id,
      attempt: attempt.id,
      target: target.name,
      node: target.node,
      token: attempt.token,
      pid: reply.pid,
      bootId: reply.bootId,
      agent: reply.agent,
      resumedFrom,
    },
    await fingerprint(world, job, attempt),
  ]);
  return attempt;
}

/** The newest checkpoint that is whole now; torn ones on the way are recorded and set aside, never deleted. */
export async function newestWhole(
  world: World,
  job: Job,
  points: readonly ResumePoint[],
): Promise<ResumePoint | null> {
  for (const point of points) {
    const why = await faultsOf(world, job, point);
    const { attempt, step, path, digest } = point;
    const head = { study: world.plan.study, job: job.id, attempt, step, path, digest };
    await record(world, [{ kind: 'checkpoint.verified', ...head, whole: why.length === 0, why }]);
    if (why.length === 0) return point;
    await record(world, [{ kind: 'checkpoint.set-aside', ...head, why }]);
    world.observer.note(
      job,
      `checkpoint ${step} of ${attempt} is not whole and was set aside: ${why.join('; ')}`,
    );
  }
  return null;
}

async function faultsOf(world: World, job: Job, point: ResumePoint): Promise<string[]> {
  const { target } = world;
  const { checkpoints } = job;
  if (checkpoints === null) return ['the job keeps no checkpoints'];
  const check = await target.checkCheckpoint(
    point.attempt,
    point.path,
    checkpoints.format,
    checkpoints.worldSize,
  );
  const faults = [...check.why];
  if (check.whole && check.step !== point.step) faults.push(`its own step counter says ${check.step}`);
  if (!check.whole) return faults.length > 0 ? faults : ['not whole'];
  const { digest } = await target.hash(point.attempt, point.path);
  if (digest !== point.digest) faults.push('its files are not those that were hashed when it was saved');
  return faults;
}

async function fingerprint(world: World, job: Job, attempt: AttemptState): Promise<EntryBody> {
  const { digest, facts } = await world.target.fingerprint(job.environment);
  return {
    kind: 'environment',
    study: world.plan.study,
    job: job.id,
    attempt: attempt.id,
    node: world.target.node,
    digest,
    facts,
  };
}
