import { auditSeeds, type SeedFinding } from '@her/audit';
import { readEntries } from '@her/ledger';
import { exitCodes } from '../errors.ts';
import { openHome } from '../home.ts';
import { readRecorded } from '../session.ts';
import { table } from '../views/table.ts';

export type AuditOptions = { home?: string; study?: string; json: boolean };

/** `her audit seeds`: every seed that was planned, beside what the trainers said they used. */
export async function auditSeedsCommand(options: AuditOptions): Promise<number> {
  const { plan, name, home } = await readRecorded(openHome(options.home), options.study);
  const audit = await auditSeeds(plan.jobs, readEntries(home.ledger));
  const code = audit.ok ? exitCodes.done : exitCodes.failed;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ study: name, ...audit })}\n`);
    return code;
  }
  const rows = audit.findings.map((finding) => [
    attemptText(finding),
    finding.source,
    String(finding.planned ?? '–'),
    String(finding.used ?? '–'),
    finding.status,
    finding.effect,
    finding.where ?? '',
  ]);
  const levels = audit.jobs.map(({ job, attempts, level, why }) => [job, String(attempts), level, why]);
  const counts = Object.entries(audit.counts).filter(([, count]) => count > 0);
  process.stdout.write(
    [
      table(['job', 'source', 'planned', 'used', 'status', 'effect', 'read from'], rows),
      '',
      table(['job', 'attempts', 'reproducible', 'why'], levels),
      '',
      `${counts.map(([status, count]) => `${count} ${status}`).join(' · ')}`,
      audit.ok
        ? 'Every effective seed was read back as planned.'
        : 'A seed differs from the plan, or was never read back.',
      '',
    ].join('\n'),
  );
  return code;
}

function attemptText(finding: SeedFinding): string {
  const number = finding.attempt?.split('-').at(-1);
  return number === undefined || number === '1' ? finding.job : `${finding.job} (attempt ${number})`;
}
