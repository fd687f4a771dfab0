import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '../packages/orchestrator/src/bench/report.ts';
import { type Bed, bedlessReason, computeHosts, openBed } from './support/bed.ts';
import { checkout } from './support/her.ts';

const lacking = bedlessReason('The bench');

const main = join(checkout, 'packages', 'orchestrator', 'src', 'bench', 'main.ts');
let found: Bed | undefined;

describe.skipIf(lacking !== null)('the bench', { timeout: 180_000 }, () => {
  beforeAll(async () => {
    found = await openBed();
  }, 600_000);

  afterAll(async () => {
    await found?.close();
  });

  test('has agents on a host followed, counts each of their steps once, and leaves nothing there', async () => {
    const [host = ''] = computeHosts(bed(), 1);
    const size = ['--hosts', host, '--agents', '4', '--rate', '50', '--seconds', '5', '--warm-up', '1'];
    const { exitCode, stdout, stderr } = await execa('node', [main, ...size, '--json'], {
      env: { HER_SSH_CONFIG: bed().ssh.config },
      reject: false,
    });
    expect(stdout, stderr).toMatch(/^\{/);
    const report = JSON.parse(stdout) as Report;
    const { metrics, fromEvent, fromLine, orchestrator, nodes, verdict } = report;
    expect(report.asked).toEqual({ hosts: [host], agents: 4, rate: 50, seconds: 5, warmUp: 1 });
    expect(report).toMatchObject({ failed: [], ledger: { whole: true } });
    expect(metrics).toMatchObject({ recorded: metrics.written, missing: 0, doubled: 0 });
    expect(metrics.written).toBeGreaterThan(4 * 50 * 5);
    expect(fromEvent.count).toBeGreaterThan(0);
    for (const lags of [fromEvent, fromLine])
      expect([lags.p50, lags.p95, lags.p99, lags.most].toSorted((a, b) => a - b)).toEqual([
        lags.p50,
        lags.p95,
        lags.p99,
        lags.most,
      ]);
    expect(fromEvent.p50).toBeGreaterThan(0);
    expect(fromLine.p50).toBeGreaterThan(fromEvent.p50);
    expect(orchestrator.cores).toBeGreaterThan(0);
    expect(orchestrator.peakMb).toBeGreaterThan(50);
    expect(nodes.agents).toBeGreaterThan(0);
    expect(verdict.met).toMatchObject({ complete: true, memory: true, cores: true });
    expect(exitCode).toBe(Object.values(verdict.met).every(Boolean) ? 0 : 1);
    expect(await onHost(host, 'ls -d /tmp/her-bench-* 2>/dev/null; pgrep -f her-bench- | grep -v $$')).toBe(
      '',
    );
  });

  test('a number that cannot be is refused before anything is started', async () => {
    const refused = await execa('node', [main, '--hosts', 'h1', '--agents', '0'], { reject: false });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--agents 0');
  });
});

function bed(): Bed {
  if (found === undefined) throw new Error('there is no bed');
  return found;
}

async function onHost(host: string, command: string): Promise<string> {
  const { stdout } = await execa('ssh', ['-F', bed().ssh.config, host, command], { reject: false });
  return stdout.trim();
}
