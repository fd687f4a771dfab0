import { HerError } from '../errors.ts';
import type { Place } from '../exec/run-on.ts';
import { pause } from '../reconcile/pause.ts';
import { loadScript } from './load-script.ts';
import { type NodeLoad, readLoad } from './read-load.ts';

export type NodeView = {
  name: string;
  /** As last told; null before the first answer. */
  load: NodeLoad | null;
  /** Since when it cannot be reached, and why. */
  unknown: { since: Date; why: string } | null;
};

/** Seconds for an answer. */
const patience = 12;

/** Asks one node once. Never throws for what a node does. */
export async function lookAt(
  place: Place,
  root: string,
  before: NodeView,
  signal: AbortSignal,
): Promise<NodeView> {
  const unknown = (why: string): NodeView => ({
    ...before,
    unknown: { since: before.unknown?.since ?? new Date(), why },
  });
  try {
    const { exitCode, stdout, stderr, originalMessage } = await place.runner.run(
      ['sh', '-c', loadScript, 'sh', root],
      {
        timeout: patience,
        signal,
      },
    );
    const load = readLoad(stdout);
    if (load !== null) return { name: place.name, load, unknown: null };
    return unknown(
      stderr.trim().split('\n')[0] || originalMessage || `it answered with exit code ${exitCode}`,
    );
  } catch (error) {
    if (!(error instanceof HerError)) throw error;
    return unknown(error.message);
  }
}

/** Asks every node again and again, each at its own pace: one that does not answer holds up no other. */
export function watchNodes(
  places: readonly Place[],
  root: string,
  every: number,
  signal: AbortSignal,
): { views: () => NodeView[]; first: Promise<void>; done: Promise<void> } {
  const views = new Map(
    places.map(({ name }): [string, NodeView] => [name, { name, load: null, unknown: null }]),
  );
  const lookOnce = async (place: Place): Promise<void> => {
    const before = views.get(place.name) ?? { name: place.name, load: null, unknown: null };
    const after = await lookAt(place, root, before, signal);
    if (!signal.aborted) views.set(place.name, after);
  };
  const firsts = places.map(lookOnce);
  const loops = places.map(async (place, i) => {
    await firsts[i];
    while (!signal.aborted) {
      await pause(every, signal);
      if (!signal.aborted) await lookOnce(place);
    }
  });
  return {
    views: () => [...views.values()],
    first: Promise.all(firsts).then(() => undefined),
    done: Promise.all(loops).then(() => undefined),
  };
}
