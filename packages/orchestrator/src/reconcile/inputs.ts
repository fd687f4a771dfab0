import { basename } from 'node:path';
import type { Job, JobInput, Plan } from '@her/configs';
import type { Held, Node } from '../targets/target.ts';
import { jobOf, type ResumePoint } from './decide.ts';
import { holderOf } from './resume-point.ts';
import { type AttemptState, type StudyState, succeeded } from './state.ts';
import { record, type World } from './world.ts';

/** An input where it lies on one node. */
export type PlacedInput = { name: string; path: string; digest: string | null };

/** Brings what a job reads to one of its nodes, and records the hash of what no plan could hash before. */
export async function placeInputs(
  world: World,
  job: Job,
  attempt: AttemptState,
  node: Node,
): Promise<PlacedInput[]> {
  const placed: PlacedInput[] = [];
  for (const wanted of wantedBy(world, job, attempt.decidedFrom)) {
    const { path, digest, how } = await world.target.bring(node, wanted.held, {
      say: (text) => world.observer.note(job, text),
      signal: world.signal,
    });
    if (wanted.held.kind === 'path' && how !== 'planned')
      await record(world, [
        {
          kind: 'input.placed',
          study: world.plan.study,
          job: job.id,
          attempt: attempt.id,
          node: node.name,
          name: wanted.name,
          path,
          digest,
          how,
        },
      ]);
    placed.push({ name: wanted.name, path, digest });
  }
  return placed;
}

type Wanted = { name: string; held: Held };

function wantedBy({ plan, state, locate }: World, job: Job, resume: ResumePoint | null): Wanted[] {
  const inputs = job.inputs.flatMap((input): Wanted[] => {
    const held = heldBy(plan, state, input, locate);
    return held === undefined ? [] : [{ name: input.name, held }];
  });
  if (resume === null) return inputs;
  const { attempt, path, digest } = resume;
  const held: Held = { kind: 'output', node: holderOf(state, job, attempt), attempt, path, digest };
  return [...inputs, { name: `resume/${basename(path)}`, held }];
}

function heldBy(
  plan: Plan,
  state: StudyState,
  { from }: JobInput,
  locate: World['locate'],
): Held | undefined {
  switch (from.kind) {
    case 'hub':
      // The trainer fetches it itself, by the id in its file.
      return undefined;
    case 'path':
      return {
        kind: 'path',
        path: from.path,
        here: locate(from.path),
        digest: from.digest,
        via: from.via ?? null,
      };
    case 'output': {
      const attempt = state.jobs.get(from.job)?.attempts.find(succeeded);
      const made = attempt?.outputs.find((candidate) => candidate.name === from.output);
      const [node] = attempt?.nodes ?? [];
      if (attempt === undefined || made === undefined || node === undefined)
        throw new TypeError(
          `${jobOf(plan, from.job).name} has not made ${from.output}; its readers must wait`,
        );
      return { kind: 'output', node, attempt: attempt.id, path: made.path, digest: made.digest };
    }
  }
}
