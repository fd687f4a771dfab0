import { exitCodes } from '../errors.ts';
import { reportError } from '../report-error.ts';
import { askedOf, usage } from './asked.ts';
import { bedHosts } from './bed.ts';
import { bench } from './bench.ts';
import { reportLines } from './report.ts';

/** `pnpm bench`: exit code 0 when all bounds are met, 1 when one is missed. */
async function main(): Promise<number> {
  const asked = askedOf(process.argv.slice(2));
  if (asked === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
  const bed = asked.hosts === null ? await bedHosts(say) : undefined;
  if (bed !== undefined) process.env['HER_SSH_CONFIG'] = bed.sshConfig;
  try {
    const report = await bench({ ...asked, hosts: asked.hosts ?? bed?.hosts ?? [] }, say, stop.signal);
    process.stdout.write(
      asked.json ? `${JSON.stringify(report, null, 2)}\n` : `${reportLines(report).join('\n')}\n`,
    );
    return Object.values(report.verdict.met).every(Boolean) ? 0 : 1;
  } catch (error) {
    if (stop.signal.aborted) return exitCodes.detached;
    throw error;
  } finally {
    await bed?.close();
  }
}

// A host that went out of reach may have left a connection that nobody waits for.
process.exit(await main().catch((error: unknown) => reportError(error, process.stderr)));
