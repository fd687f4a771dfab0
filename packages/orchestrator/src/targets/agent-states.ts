import { memberId } from '../agent/members.ts';
import type { AgentStatus } from '../agent/protocol.ts';
import { HerError } from '../errors.ts';
import type { AttemptState } from '../reconcile/state.ts';
import type { Target } from './target.ts';

/** `waits`: where it is in a scheduler's queue, why and until when. */
export type AgentState = { health: AgentStatus['health'] | 'unreachable'; waits: string | null };

/**
 * What the agents of each attempt say of it now, by attempt: of a gang the one that is worst off. `unreachable` says
 * nothing about the attempt.
 */
export async function agentStates(
  target: Target,
  attempts: readonly AttemptState[],
): Promise<Map<string, AgentState>> {
  const asked = attempts.map(async ({ id, nodes }) => {
    const states = await Promise.all(nodes.map((node, i) => healthOn(target, node, memberId(id, i))));
    return [
      id,
      states.toSorted((a, b) => worst.indexOf(b.health) - worst.indexOf(a.health))[0] ?? absent,
    ] as const;
  });
  return new Map(await Promise.all(asked));
}

const absent: AgentState = { health: 'absent', waits: null };
const worst: AgentState['health'][] = ['running', 'ended', 'absent', 'lost', 'unreachable'];

async function healthOn(target: Target, node: string, id: string): Promise<AgentState> {
  try {
    const { health, waits = null } = await target.node(node).status(id);
    return { health, waits };
  } catch (error) {
    if (error instanceof HerError) return { health: 'unreachable', waits: null };
    throw error;
  }
}
