import { memberId } from '../agent/members.ts';
import { HerError } from '../errors.ts';
import type { Home } from '../home.ts';
import { pickAttempt } from '../logs/pick-attempt.ts';
import { readRecorded } from '../session.ts';
import { openTarget } from '../targets/open-target.ts';

export type Surroundings = { env: Record<string, string> | null; cwd: string | null };

/**
 * The folder and the variables of an attempt, without its secrets: they are kept nowhere. Without one named, what a
 * login gives.
 */
export async function attemptSurroundings(
  home: Home,
  study: string,
  wanted: string | undefined,
): Promise<{ on(node: string): Promise<Surroundings>; close(): Promise<void> }> {
  if (wanted === undefined)
    return { on: async () => ({ env: null, cwd: null }), close: async () => undefined };
  const { plan, state, home: places } = await readRecorded(home, study);
  const { job, attempt } = pickAttempt(plan, state, wanted);
  const { runsOn } = plan;
  if (
    runsOn.kind === 'slurm' ||
    (runsOn.kind === 'ssh' && typeof runsOn.environments === 'object' && 'image' in runsOn.environments)
  )
    throw new HerError(
      'TARGET_UNSUPPORTED',
      'an attempt in an image or in Slurm cannot be entered from here',
      {
        hint: 'Leave --attempt out; `srun --overlap --jobid` or the container tool of the node leads into it.',
      },
    );
  const target = openTarget(home, places, plan);
  const abort = new AbortController();
  await target.prepare([job.environment], () => undefined, abort.signal);
  return {
    on: async (name) => {
      const index = attempt.nodes.indexOf(name);
      if (index === -1)
        throw new HerError('NODE_UNKNOWN', `${attempt.id} does not run on ${name}`, {
          hint: `It runs on ${attempt.nodes.join(', ')}: name one with --node.`,
        });
      const node = target.node(name);
      const cwd = (await node.attemptPath(memberId(attempt.id, index), '')).replace(/\/$/, '');
      return { cwd, env: { ...(await node.baseEnv(job.environment)), ...job.env, HER_ATTEMPT: attempt.id } };
    },
    close: () => target.close(),
  };
}
