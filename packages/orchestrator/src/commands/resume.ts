import { randomUUID } from 'node:crypto';
import type { EntryBody } from '@her/ledger';
import { exitCodes } from '../errors.ts';
import { findJobs } from '../find-job.ts';
import { openHome } from '../home.ts';
import { defaultPolicy, standing } from '../reconcile/decide.ts';
import { foldLedger, openStudyLedger, readRecorded } from '../session.ts';

export type ResumeOptions = { home?: string; study?: string; reason: string };

/** `her resume [JOB…]`: lifts a stop or a giving-up. It starts nothing; `her run` does. */
export async function resume(wanted: readonly string[], options: ResumeOptions): Promise<number> {
  const home = openHome(options.home);
  const { plan, name, home: places } = await readRecorded(home, options.study);
  const ledger = await openStudyLedger(home, name);
  try {
    const state = await foldLedger(places.ledger);
    const held = findJobs(plan, wanted).filter((job) =>
      ['stopped', 'failed'].includes(standing(plan, state, job, defaultPolicy).is),
    );
    const bodies = held.map(
      (job): EntryBody => ({
        kind: 'decision',
        study: name,
        action: 'lift-stop',
        job: job.id,
        attempt: state.jobs.get(job.id)?.attempts.at(-1)?.id ?? null,
        token: randomUUID(),
        why: options.reason,
      }),
    );
    if (bodies.length > 0) await ledger.append(bodies);
    const names = held.map((job) => job.name).join(', ');
    process.stdout.write(
      held.length === 0 ? 'nothing is stopped\n' : `${names}: may run again\nnext    her run STUDY\n`,
    );
    return exitCodes.done;
  } finally {
    await ledger.close();
  }
}
