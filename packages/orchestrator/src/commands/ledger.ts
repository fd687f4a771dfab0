import { readFile } from 'node:fs/promises';
import { readEntries, verifyLedger } from '@her/ledger';
import { exitCodes, HerError } from '../errors.ts';
import { findJobs } from '../find-job.ts';
import { absolute, callerDirectory, openHome } from '../home.ts';
import { findRecorded, readRecorded } from '../session.ts';
import { oneLine } from '../views/words.ts';

export type VerifyOptions = { home?: string; study?: string; json: boolean; against?: string };

/** `her ledger verify`: hashes every stored byte again and holds it against every checkpoint ever signed. */
export async function ledgerVerify(options: VerifyOptions): Promise<number> {
  const { home } = await findRecorded(openHome(options.home), options.study);
  const dir = home.ledger;
  const against =
    options.against === undefined
      ? undefined
      : await readCheckpoint(absolute(options.against, callerDirectory()));
  const report = await verifyLedger(dir, against === undefined ? {} : { against });
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    const lines = report.findings.map((finding) => `${finding.code}  ${finding.message}`);
    const verdict = report.ok ? 'verified' : `NOT verified: ${report.findings.length} findings`;
    lines.push(
      `${verdict}: ${report.size} entries, root ${report.root}, ${report.checkpoints.length} signed checkpoints`,
    );
    lines.push(
      'Signed on this machine only: until somebody else has seen a checkpoint, its owner could rebuild the log.',
    );
    process.stdout.write(`${lines.map(oneLine).join('\n')}\n`);
  }
  return report.ok ? exitCodes.done : exitCodes.ledger;
}

async function readCheckpoint(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new HerError('INPUT_UNREADABLE', `the checkpoint ${file} cannot be read`, {
      hint: 'Give --against the file in which a checkpoint of this ledger was kept.',
      cause,
    });
  });
}

export type ShowOptions = { home?: string; study?: string; kind?: string[]; job?: string; from: number };

/** `her ledger show`: entries as they are stored, a line each, for `jq` and `grep`. */
export async function ledgerShow(options: ShowOptions): Promise<number> {
  const { plan, home } = await readRecorded(openHome(options.home), options.study);
  const ids =
    options.job === undefined
      ? undefined
      : new Set<string>(findJobs(plan, [options.job]).map(({ id }) => id));
  for await (const entry of readEntries(home.ledger, { from: options.from })) {
    if (options.kind !== undefined && !options.kind.includes(entry.kind)) continue;
    if (ids !== undefined && !('job' in entry && entry.job !== undefined && ids.has(entry.job))) continue;
    if (!process.stdout.write(`${JSON.stringify(entry)}\n`))
      await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
  return exitCodes.done;
}
