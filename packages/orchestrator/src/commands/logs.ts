import { exitCodes, HerError } from '../errors.ts';
import { findJob } from '../find-job.ts';
import { openHome } from '../home.ts';
import { readRecorded } from '../session.ts';
import { openTarget } from '../targets/open-target.ts';

export type LogsOptions = {
  home?: string;
  study?: string;
  follow: boolean;
  attempt?: number;
  rank: number;
  from: number;
};

/** `her logs JOB [-f]`: the bytes of a rank's log as the trainer wrote them, from any offset. */
export async function logs(wanted: string, options: LogsOptions): Promise<number> {
  const home = openHome(options.home);
  const { plan, state, home: places } = await readRecorded(home, options.study);
  const job = findJob(plan, wanted);
  const attempts = state.jobs.get(job.id)?.attempts ?? [];
  const attempt = options.attempt === undefined ? attempts.at(-1) : attempts[options.attempt - 1];
  if (attempt === undefined) {
    throw noAttempt(job.name, attempts.length);
  }
  const letGo = new AbortController();
  process.on('SIGINT', () => letGo.abort());
  const node = openTarget(home, places, plan).node(attempt.nodes[0] ?? '');
  let bytes = options.from;
  try {
    for await (const chunk of node.log(attempt.id, options.rank, bytes, options.follow, letGo.signal)) {
      bytes += chunk.length;
      if (!process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  } catch (error) {
    if (!letGo.signal.aborted) throw error;
  }
  if (letGo.signal.aborted)
    process.stderr.write(`\nstopped at byte ${bytes}: her logs ${job.name} -f --from ${bytes}\n`);
  return letGo.signal.aborted ? exitCodes.detached : exitCodes.done;
}

function noAttempt(job: string, attempts: number): HerError {
  return attempts === 0
    ? new HerError('JOB_NOT_FOUND', `${job} has not been started`, {
        hint: 'Start it: `her run STUDY`. What it waits for: `her status`.',
      })
    : new HerError('JOB_NOT_FOUND', `${job} has no such attempt; it has ${attempts}`, {
        hint: `Name one from 1 to ${attempts} with --attempt, or leave it out for the latest.`,
      });
}
