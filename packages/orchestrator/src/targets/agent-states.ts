import { HerError } from '../errors.ts';
import type { Home, StudyHome } from '../home.ts';
import { openLocalTarget } from './local/local-target.ts';

/** What the agent of each attempt says of it now; `unreachable` says nothing about the attempt. */
export async function agentStates(
  home: Home,
  study: StudyHome,
  attempts: readonly string[],
): Promise<Map<string, string>> {
  const target = openLocalTarget(home, study);
  const asked = attempts.map(async (attempt) => {
    try {
      return [attempt, (await target.status(attempt)).health] as const;
    } catch (error) {
      if (error instanceof HerError) return [attempt, 'unreachable'] as const;
      throw error;
    }
  });
  return new Map(await Promise.all(asked));
}
