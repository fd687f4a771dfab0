import type { Job } from '@her/configs';
import { HerError } from '../errors.ts';
import { backoff } from '../storage/backoff.ts';
import type { ResumePoint } from './decide.ts';
import { pause } from './pause.ts';
import { jobState, type StudyState } from './state.ts';
import { record, type World } from './world.ts';

/**
 * The newest checkpoint that is whole now; torn ones on the way are recorded and set aside, never deleted. A node that
 * cannot be reached says nothing of what it holds: it is asked again.
 * @returns undefined where the loop let go, or the job was stopped, before it was known
 */
export async function newestWhole(
  world: World,
  job: Job,
  points: readonly ResumePoint[],
): Promise<ResumePoint | null | undefined> {
  for (const point of points) {
    let why = await whenReached(world, job, () => faultsOf(world, job, point));
    const torn = why !== undefined && why.length > 0;
    const back = torn ? await whenReached(world, job, () => restored(world, job, point)) : false;
    if (back === undefined) return undefined;
    if (back) why = await whenReached(world, job, () => faultsOf(world, job, point));
    if (why === undefined) return undefined;
    const { attempt, step, path, digest } = point;
    const head = { study: world.plan.study, job: job.id, attempt, step, path, digest };
    await record(world, [{ kind: 'checkpoint.verified', ...head, whole: why.length === 0, why }]);
    if (why.length === 0) return { attempt, step, path, digest };
    await record(world, [{ kind: 'checkpoint.set-aside', ...head, why }]);
    world.observer.note(
      job,
      `checkpoint ${step} of ${attempt} is not whole and was set aside: ${why.join('; ')}`,
    );
  }
  return null;
}

async function whenReached<T>(world: World, job: Job, act: () => Promise<T>): Promise<T | undefined> {
  const { signal, observer } = world;
  let since: Date | undefined;
  for (let tries = 1; !signal.aborted && !jobState(world.state, job.id).stopped; tries++) {
    try {
      const found = await act();
      if (since !== undefined) observer.known(job);
      return found;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof HerError) || error.code !== 'AGENT_UNREACHABLE') throw error;
      since ??= new Date();
      observer.unknown(job, since, error.message);
      await pause(backoff(tries, { first: 1_000 }), signal);
    }
  }
  return undefined;
}

/** Refusals of the agent that may pass: they say nothing of what is stored. */
const passing = new Set(['disk-full', 'busy']);

/**
 * Whether a checkpoint that its node has not whole any more was brought back to it from the store.
 * @throws {HerError} `AGENT_UNREACHABLE` where the store, its credentials or the node keep it from being known now
 */
async function restored(world: World, job: Job, point: ResumePoint): Promise<boolean> {
  const { restore, state, observer, signal } = world;
  if (restore === undefined) return false;
  try {
    return await restore(point, holderOf(state, job, point.attempt), signal);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const said = `checkpoint ${point.step} of ${point.attempt} could not be brought back: ${why}`;
    if (error instanceof HerError && mayPass(error))
      throw new HerError('AGENT_UNREACHABLE', said, { cause: error });
    observer.note(job, said);
    return false;
  }
}

function mayPass({ code, agentCode = '' }: HerError): boolean {
  return code === 'AGENT_UNREACHABLE' || code.startsWith('STORE_') || passing.has(agentCode);
}

/** Why a checkpoint is not the whole one that was saved; a refusal of the agent to read it is a reason too. */
async function faultsOf(world: World, job: Job, point: ResumePoint): Promise<string[]> {
  const { checkpoints } = job;
  const node = world.target.node(holderOf(world.state, job, point.attempt));
  if (checkpoints === null) return ['the job keeps no checkpoints'];
  try {
    const check = await node.checkCheckpoint(
      point.attempt,
      point.path,
      checkpoints.format,
      checkpoints.worldSize,
      world.signal,
    );
    if (!check.whole) return check.why.length > 0 ? check.why : ['not whole'];
    if (check.step !== point.step) return [`its own step counter says ${check.step}`];
    const { digest } = await node.hash(point.attempt, point.path, world.signal);
    return digest === point.digest ? [] : ['its files are not those that were hashed when it was saved'];
  } catch (error) {
    if (error instanceof HerError && error.code === 'AGENT_FAILED')
      return [`it cannot be read: ${error.message}`];
    throw error;
  }
}

/** The node that an attempt of a job left its files on. */
export function holderOf(state: StudyState, job: Pick<Job, 'id'>, attempt: string): string {
  const [node] = jobState(state, job.id).attempts.find(({ id }) => id === attempt)?.nodes ?? [];
  if (node === undefined) throw new TypeError(`the ledger does not say where ${attempt} ran`);
  return node;
}
