import { auditSeeds, type SeedAudit, type SeedFinding, type Verdict } from '@her/audit';
import { readEntries } from '@her/ledger';
import { exitCodes } from '../errors.ts';
import { openHome } from '../home.ts';
import { readRecorded } from '../session.ts';
import { table } from '../views/table.ts';
import { verdictText } from '../views/verdict.ts';

export type AuditOptions = { home?: string; study?: string; json: boolean };

const codes: Record<Verdict, number> = {
  'as planned': exitCodes.done,
  'not as planned': exitCodes.failed,
  'nothing ran': exitCodes.waiting,
};

/** `her audit seeds`: every seed that was planned, beside what the trainers said they used. */
export async function auditSeedsCommand(options: AuditOptions): Promise<number> {
  const { plan, name, home } = await readRecorded(openHome(options.home), options.study);
  const audit = await auditSeeds(plan.jobs, readEntries(home.ledger));
  process.stdout.write(
    options.json ? `${JSON.stringify({ study: name, ...audit })}\n` : `${auditText(audit)}\n`,
  );
  return codes[audit.verdict];
}

function auditText(audit: SeedAudit): string {
  const rows = audit.findings.map((finding) => [
    attemptText(finding),
    finding.source,
    String(finding.planned ?? '–'),
    String(finding.used ?? '–'),
    finding.status,
    finding.effect,
    finding.decides ? 'yes' : 'no',
    finding.where ?? '',
  ]);
  const jobs = audit.jobs.map(({ job, state, attempts, level, why }) => [
    job,
    state,
    String(attempts),
    level,
    why,
  ]);
  const former = audit.former.map(({ job, attempts }) => [job, 'former plan', String(attempts), '–', '']);
  const counts = Object.entries(audit.counts).filter(([, count]) => count > 0);
  return [
    table(['job', 'source', 'planned', 'used', 'status', 'effect', 'counts', 'read from'], rows),
    '',
    table(['job', 'state', 'attempts', 'reproducible', 'why'], [...jobs, ...former]),
    '',
    counts.map(([status, count]) => `${count} ${status}`).join(' · '),
    verdictText(audit),
  ].join('\n');
}

function attemptText(finding: SeedFinding): string {
  const number = finding.attempt?.split('-').at(-1);
  return number === undefined || number === '1' ? finding.job : `${finding.job} (attempt ${number})`;
}
