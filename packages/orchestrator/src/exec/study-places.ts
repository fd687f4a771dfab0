import type { Plan } from '@her/configs';
import { nodesOf } from '../doctor/nodes-of.ts';
import { HerError } from '../errors.ts';
import type { Home } from '../home.ts';
import { openSshRunner } from '../ssh/open-runner.ts';
import { localRunner } from '../targets/local/local-runner.ts';
import { lazyRunner } from '../targets/ssh/lazy-runner.ts';
import type { Place } from './run-on.ts';

/** The machines of a plan's target. Of a scheduler, the one with its commands. Nothing is connected to. */
export async function studyPlaces(plan: Plan, home: Home, say: (line: string) => void): Promise<Place[]> {
  const python = plan.runsOn.kind === 'local' ? 'python3' : plan.runsOn.python;
  const nodes = await nodesOf(plan, {
    local: localRunner,
    openRunner: async (host) => lazyRunner(host, () => openSshRunner(host, { home, say })),
    // Nobody needs to know here how the nodes reach each other.
    addressOf: async (host) => host,
  });
  return Promise.all(nodes.map(async ({ name, open }) => ({ name, python, runner: await open() })));
}

/** The one that was named, all of them, or the first. */
export function chosenPlaces(
  places: readonly Place[],
  { node, all }: { node?: string; all: boolean },
): Place[] {
  if (all) return [...places];
  const found = node === undefined ? places.slice(0, 1) : places.filter(({ name }) => name === node);
  if (found.length > 0) return found;
  throw new HerError('NODE_UNKNOWN', `the target has no node ${node}`, {
    hint: `It has: ${places.map(({ name }) => name).join(', ')}.`,
  });
}
