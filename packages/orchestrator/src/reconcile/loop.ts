import type { Job, JobId } from '@her/configs';
import { decide, type JobStanding, type Step, standing } from './decide.ts';
import { followAttempt } from './follow.ts';
import { pause } from './pause.ts';
import { decideStart } from './start.ts';
import type { AttemptState } from './state.ts';
import { obeyStops, type StopRequests } from './stops.ts';
import { record, type World } from './world.ts';

/** Milliseconds between two looks at the stop requests when nothing else happens. */
const tick = 300;

export type Outcome = { job: Job; standing: JobStanding }[];

/**
 * Makes the world match the plan: attaches to what runs, starts what is ready, resumes or gives up what failed,
 * until nothing is left to do or the signal says to let go. Safe to repeat at any time.
 */
export async function reconcile(outer: World, requests: StopRequests): Promise<Outcome> {
  const letGo = new AbortController();
  const world = { ...outer, signal: AbortSignal.any([outer.signal, letGo.signal]) };
  const following = new Map<string, Promise<void>>();
  const starting = new Map<JobId, { nodes: string[]; done: Promise<void> }>();
  const failures: unknown[] = [];
  let changed = newChange();

  const follow = (job: Job, attempt: AttemptState, how: 'started' | 'attached'): void => {
    world.observer.started(job, attempt, how);
    const done = followAttempt(world, job, attempt)
      .then(() => {
        if (attempt.ended !== null) world.observer.ended(job, attempt);
      })
      .catch((error: unknown) => {
        failures.push(error);
        letGo.abort();
      })
      .finally(() => {
        following.delete(attempt.id);
        changed.tell();
      });
    following.set(attempt.id, done);
  };

  /** Beside the loop: a checkpoint of hundreds of gigabytes is read, on a node that may be out of reach. */
  const start = (step: Extract<Step, { do: 'start' }>): void => {
    const done = decideStart(world, step)
      .then((attempt) => {
        if (attempt !== null) follow(step.job, attempt, 'started');
      })
      .catch((error: unknown) => {
        failures.push(error);
        letGo.abort();
      })
      .finally(() => {
        starting.delete(step.job.id);
        changed.tell();
      });
    starting.set(step.job.id, { nodes: step.nodes, done });
  };

  try {
    while (!world.signal.aborted) {
      await obeyStops(world, requests);
      if (world.until?.()) break;
      const held = new Map([...starting].map(([job, { nodes }]) => [job, nodes] as const));
      const possible = decide(world.plan, world.state, world.capacity, world.policy, held);
      const steps =
        world.until === null
          ? possible
          : possible.filter((step) => step.do === 'attach' && mayFollow(world, step));
      for (const step of steps) {
        if (world.signal.aborted) break;
        if (step.do === 'give-up') await giveUp(world, step.job, step.why);
        if (step.do === 'start') start(step);
        if (step.do === 'attach' && !following.has(step.attempt.id) && !starting.has(step.job.id))
          follow(step.job, step.attempt, 'attached');
      }
      if (following.size + starting.size === 0 && steps.every((step) => step.do === 'give-up')) break;
      await Promise.race<unknown>([changed.happened, pause(tick, world.signal)]);
      changed = newChange();
    }
  } catch (error) {
    failures.unshift(error);
  } finally {
    letGo.abort();
    await Promise.all([...starting.values()].map(({ done }) => done));
    await Promise.all(following.values());
  }
  if (failures.length > 0) throw failures[0];
  return world.plan.jobs.map((job) => ({
    job,
    standing: standing(world.plan, world.state, job, world.policy),
  }));
}

/** While stopping: what runs, and what was stopped before its start was recorded; no other start is touched. */
function mayFollow(world: World, step: Extract<Step, { do: 'attach' }>): boolean {
  return step.attempt.startedAt !== null || world.state.jobs.get(step.job.id)?.stopped === true;
}

async function giveUp(world: World, job: Job, why: string): Promise<void> {
  const attempt = world.state.jobs.get(job.id)?.attempts.at(-1)?.id ?? null;
  const token = attempt ?? job.id;
  await record(world, [
    { kind: 'decision', study: world.plan.study, action: 'give-up', job: job.id, attempt, token, why },
  ]);
}

function newChange(): { happened: Promise<void>; tell: () => void } {
  let tell = (): void => undefined;
  const happened = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { happened, tell };
}
