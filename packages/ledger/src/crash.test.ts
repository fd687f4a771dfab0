import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openTest, scratch } from './testing.ts';
import { verifyLedger } from './verify/verify.ts';

const WRITER = new URL('./testing-writer.ts', import.meta.url).pathname;
const KILLS = 40;

function startWriter(
  place: { dir: string; keyFile: string },
  mode = 'append',
): { child: ChildProcess; out: string[] } {
  const child = spawn(process.execPath, [WRITER, place.dir, place.keyFile, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const out: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => out.push(text));
  return { child, out };
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('close', () => resolve()));
}

describe('a writer killed at any moment', () => {
  it(`leaves every acknowledged entry, ${KILLS} times over`, { timeout: 240_000 }, async () => {
    using place = scratch();
    let acknowledged = 0;
    let opened = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { child, out } = startWriter(place);
      const done = ended(child);
      // Some die while they open, most while they write.
      for (let waited = 0; kill % 8 !== 0 && waited < 200 && !out.join('').includes('ack'); waited += 1)
        await sleep(10);
      await sleep(Math.random() * (kill % 8 === 0 ? 250 : 120));
      child.kill('SIGKILL');
      await done;
      const text = out.join('');
      expect(text).not.toContain('refused');
      opened += text.includes('open') ? 1 : 0;
      const lines = text.slice(0, text.lastIndexOf('\n') + 1).matchAll(/^ack (\d+) (\d+)$/gm);
      for (const [, , last] of lines) acknowledged = Math.max(acknowledged, Number(last) + 1);

      const ledger = await openTest(place, { segmentEntries: 70 });
      expect(ledger.size).toBeGreaterThanOrEqual(acknowledged);
      const before = ledger.size;
      await ledger.append([{ kind: 'note', study: 'tiny', text: `after kill ${kill}` }]);
      await ledger.close();
      acknowledged = before + 1;
      const report = await verifyLedger(place.dir);
      expect(report).toMatchObject({ ok: true, size: before + 1, sealed: before + 1, findings: [] });
    }
    expect(opened).toBeGreaterThan(KILLS / 2);
  });
});

describe('writers that start in the same moment', () => {
  it('over a stale lock: one opens, the others are told who', { timeout: 120_000 }, async () => {
    using place = scratch();
    for (let round = 0; round < 4; round += 1) {
      const victim = startWriter(place);
      const dead = ended(victim.child);
      while (!victim.out.join('').includes('open')) await sleep(5);
      victim.child.kill('SIGKILL');
      await dead;
      const writers = Array.from({ length: 4 }, () => startWriter(place, 'hold'));
      await Promise.all(writers.map(({ child }) => ended(child)));
      const results = writers.map(({ out }) => out.join('').trim()).sort();
      expect(results.filter((result) => result === 'open').length).toBeGreaterThanOrEqual(1);
      expect(results.filter((result) => result !== 'open' && result !== 'refused LEDGER_LOCKED')).toEqual([]);
      expect((await verifyLedger(place.dir)).ok).toBe(true);
    }
  });
});
