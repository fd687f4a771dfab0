import type { Job } from '@her/configs';
import { memberId } from '../agent/members.ts';
import { HerError } from '../errors.ts';
import type { AttemptState } from './state.ts';
import type { World } from './world.ts';

/**
 * Asks the agents of an attempt to end it, side by side. A node that never heard of it has nothing to end; one that
 * cannot be reached, or refuses, is told by its gang, or is asked again by whoever follows it: no other job waits for it.
 */
export async function stopNodes(
  world: World,
  job: Job,
  attempt: AttemptState,
  reason: string,
  nodes: readonly string[] = attempt.nodes,
): Promise<void> {
  const asked = nodes.map(async (name) => {
    try {
      const id = memberId(attempt.id, attempt.nodes.indexOf(name));
      await world.target.node(name).stop(id, reason, job.limits.grace);
    } catch (error) {
      if (error instanceof HerError && error.agentCode === 'no-such-attempt') return;
      if (!(error instanceof HerError) || !['AGENT_UNREACHABLE', 'AGENT_FAILED'].includes(error.code))
        throw error;
      world.observer.note(job, `${name} could not be asked to stop: ${error.message}`);
    }
  });
  await Promise.all(asked);
}
