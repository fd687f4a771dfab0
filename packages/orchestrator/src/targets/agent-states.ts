import { memberId } from '../agent/members.ts';
import { HerError } from '../errors.ts';
import type { AttemptState } from '../reconcile/state.ts';
import type { Target } from './target.ts';

/**
 * What the agents of each attempt say of it now, by attempt: of a gang the one that is worst off. `unreachable` says
 * nothing about the attempt.
 */
export async function agentStates(
  target: Target,
  attempts: readonly AttemptState[],
): Promise<Map<string, string>> {
  const asked = attempts.map(async ({ id, nodes }) => {
    const states = await Promise.all(nodes.map((node, i) => healthOn(target, node, memberId(id, i))));
    return [id, states.toSorted((a, b) => worst.indexOf(b) - worst.indexOf(a))[0] ?? 'absent'] as const;
  });
  return new Map(await Promise.all(asked));
}

const worst = ['running', 'ended', 'absent', 'lost', 'unreachable'];

async function healthOn(target: Target, node: string, id: string): Promise<string> {
  try {
    return (await target.node(node).status(id)).health;
  } catch (error) {
    if (error instanceof HerError) return 'unreachable';
    throw error;
  }
}
