import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { openHome } from '../home.ts';
import { buildAgent } from '../targets/local/agent-archive.ts';
import { fleetOf } from './fleet.ts';
import { hostFolder } from './fleet-target.ts';
import type { Measured } from './measured.ts';
import { type Asked, judge, reportLines } from './report.ts';

/**
 * `pnpm bench`: what the orchestrator takes to follow many agents at once. On each of 8 hosts a process writes the
 * events of 8 attempts through the agent's own event log, 50 metric events a second for each, one value an event; the
 * agent's own `events --follow` streams each of the 64; one process runs the loop of `her run` on them and is measured.
 * Hosts are folders of this machine, so the network and its encryption are not in the figures.
 */
const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '8' },
    agents: { type: 'string', default: '8' },
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    json: { type: 'boolean', default: false },
  },
});
const asked: Asked = {
  hosts: Number(values.hosts),
  each: Number(values.agents),
  rate: Number(values.rate),
  seconds: Number(values.seconds),
};

const root = mkdtempSync(join(tmpdir(), 'her-bench-'));
const stop = new AbortController();
const letGo = (): void => stop.abort();
process.on('SIGINT', letGo);
process.on('SIGTERM', letGo);
try {
  const agent = await buildAgent(join(openHome(root).root, 'agent'));
  const writing = startWriters(agent);
  const own = [join(import.meta.dirname, 'measured.ts'), root, agent];
  const numbers = [asked.hosts, asked.each, asked.seconds].map(String);
  const { stdout } = await execa(process.execPath, [...own, ...numbers], {
    stderr: 'ignore',
    cancelSignal: stop.signal,
  });
  stop.abort();
  await Promise.all(writing);
  const measured = JSON.parse(stdout) as Measured;
  const verdict = judge(asked, measured);
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ asked, measured, verdict })}\n`
      : `${reportLines(asked, measured, verdict).join('\n')}\n`,
  );
  process.exitCode = Object.values(verdict.met).every(Boolean) ? 0 : 1;
} finally {
  stop.abort();
  rmSync(root, { recursive: true, force: true });
}

/** One process a host, which writes until this one lets go of it, however this one ends. */
function startWriters(agent: string): Promise<unknown>[] {
  const { hosts, members } = fleetOf(asked);
  return hosts.map((host) => {
    const attempts = members.filter((member) => member.host === host).map(({ attempt }) => attempt);
    const args = [
      join(import.meta.dirname, 'metric_writer.py'),
      agent,
      hostFolder(root, host),
      String(asked.rate),
    ];
    const child = execa('python3', [...args, ...attempts], { stdin: 'pipe', reject: false });
    if (stop.signal.aborted) child.stdin.end();
    else void once(stop.signal, 'abort').then(() => child.stdin.end());
    return child;
  });
}
