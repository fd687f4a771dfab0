import { createLogUpdate } from 'log-update';
import { exitCodes } from '../errors.ts';
import { findPlan } from '../exec/find-plan.ts';
import { studyPlaces } from '../exec/study-places.ts';
import { openHome } from '../home.ts';
import { pause } from '../reconcile/pause.ts';
import { withholdSecrets } from '../secrets/withhold.ts';
import { catchUp, liveJobs } from '../top/live-jobs.ts';
import { watchNodes } from '../top/watch-nodes.ts';
import { type TopScene, topLines } from '../views/top.ts';
import { clock } from '../views/words.ts';

export type TopOptions = { home?: string; target?: string; once: boolean; gpus: boolean; json: boolean };

/** Milliseconds between two looks at a node, and two at the screen. */
const every = 2_000;

/** `her top [STUDY]`: what the nodes of a study are doing, live on a terminal, once elsewhere. Changes nothing. */
export async function top(study: string | undefined, options: TopOptions): Promise<number> {
  const home = openHome(options.home);
  const { plan, state, home: places } = await findPlan(home, study, options.target);
  withholdSecrets(plan, process.env);
  // A host that only the system's ssh reaches is no news on a screen that is drawn again and again.
  const machines = await studyPlaces(plan, home, () => undefined);
  const root = plan.runsOn.kind === 'local' ? home.root : plan.runsOn.root;
  const over = new AbortController();
  const onSignal = (): void => over.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  const watched = watchNodes(machines, root, every, over.signal);
  const scene = async (): Promise<TopScene> => {
    await catchUp(places.ledger, state).catch(ifNothingIsThere);
    const jobs = liveJobs(plan, state, Date.now());
    return { study: plan.study, target: plan.target, kind: plan.runsOn.kind, nodes: watched.views(), jobs };
  };
  try {
    if (options.json || options.once || !process.stdout.isTTY) {
      await Promise.race([watched.first, aborted(over.signal)]);
      const found = await scene();
      const text = options.json
        ? JSON.stringify(found)
        : [titleOf(found), ...topLines(found, options)].join('\n');
      if (!over.signal.aborted) process.stdout.write(`${text}\n`);
      return over.signal.aborted ? exitCodes.detached : exitCodes.done;
    }
    const update = createLogUpdate(process.stdout, { showCursor: true });
    while (!over.signal.aborted) {
      const found = await scene();
      const width = process.stdout.columns ?? 120;
      const lines = [`${titleOf(found)}   Ctrl-C ends`, ...topLines(found, options)];
      const room = Math.max(3, (process.stdout.rows ?? 50) - 1);
      update(
        lines
          .slice(0, room)
          .map((line) => cut(line, width))
          .join('\n'),
      );
      const moving = found.nodes.some(({ load, unknown }) => load === null && unknown === null);
      await pause(moving ? 250 : every, over.signal);
    }
    update.done();
    return exitCodes.done;
  } finally {
    over.abort();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
    await Promise.all(machines.map(({ runner }) => runner.close()));
  }
}

function titleOf({ study, target, kind }: TopScene): string {
  return `${study} on ${target} (${kind})  ${clock(new Date())}`;
}

function cut(line: string, width: number): string {
  return line.length > width ? `${line.slice(0, Math.max(1, width - 1))}…` : line;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** A study that has not been run has nodes and no record. */
function ifNothingIsThere(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
