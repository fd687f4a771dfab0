import type { Job } from '@her/configs';
import { HerError } from '../errors.ts';
import type { ResumePoint } from './decide.ts';
import { jobState, type StudyState } from './state.ts';
import { record, type World } from './world.ts';

/** The newest checkpoint that is whole now; torn ones on the way are recorded and set aside, never deleted. */
export async function newestWhole(
  world: World,
  job: Job,
  points: readonly ResumePoint[],
): Promise<ResumePoint | null> {
  for (const point of points) {
    let why = await faultsOf(world, job, point);
    if (why.length > 0 && (await restored(world, job, point))) why = await faultsOf(world, job, point);
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

/** Whether a checkpoint that its node has not whole any more was brought back to it from the store. */
async function restored({ restore, state, observer }: World, job: Job, point: ResumePoint): Promise<boolean> {
  if (restore === undefined) return false;
  try {
    return await restore(point, holderOf(state, job, point.attempt));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    observer.note(job, `checkpoint ${point.step} of ${point.attempt} could not be brought back: ${why}`);
    return false;
  }
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
    );
    if (!check.whole) return check.why.length > 0 ? check.why : ['not whole'];
    if (check.step !== point.step) return [`its own step counter says ${check.step}`];
    const { digest } = await node.hash(point.attempt, point.path);
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
