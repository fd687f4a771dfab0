import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger, readBatches, readEntries, verifyLedger } from './index.ts';
import { metrics, ORIGIN } from './testing.ts';

/** `pnpm -F @her/ledger bench [entries]`: how long appends, opening, folding and verifying take here. */
const count = Number(process.argv[2] ?? 100_000);
const path = mkdtempSync(join(tmpdir(), 'her-bench-'));
const options = { dir: join(path, 'ledger'), keyFile: join(path, 'key'), origin: ORIGIN };

async function measure<Result>(what: string, work: () => Promise<Result>, entries = 0): Promise<Result> {
  const start = performance.now();
  const result = await work();
  const took = performance.now() - start;
  const rate = entries > 0 ? `  ${Math.round((entries / took) * 1000).toLocaleString('en')} entries/s` : '';
  console.log(`${what.padEnd(44)} ${took.toFixed(1).padStart(9)} ms${rate}`);
  return result;
}

try {
  const ledger = await openLedger(options);
  await ledger.append(metrics(1));
  await measure('append one at a time, 500', () => oneByOne(500), 500);
  await measure(
    'append 5,000 concurrent callers',
    () => Promise.all(metrics(5000).map((body) => ledger.append([body]))),
    5000,
  );
  await measure(`append ${count} in batches of 64`, () => batches(64), count);
  await measure('close (tiles, checkpoint)', () => ledger.close());
  const again = await measure('open', () => openLedger(options));
  const { size } = again;
  await measure('read the last 5,000', () => drain(again.entries({ from: size - 5000 })), 5000);
  await measure('fold all, entry by entry', () => drain(readEntries(options.dir)), size);
  await measure('fold all, batch by batch', () => drain(readBatches(options.dir)), size);
  await measure('inclusion proof', () => again.inclusionProof(1234));
  await again.close();
  await measure('verify', () => verifyLedger(options.dir), size);
  await measure('rebuild the tiles and open', rebuild);

  async function oneByOne(times: number): Promise<void> {
    for (const body of metrics(times)) await ledger.append([body]);
  }
  async function batches(width: number): Promise<void> {
    for (let at = 0; at < count; at += width) await ledger.append(metrics(width, at));
  }
} finally {
  rmSync(path, { recursive: true, force: true });
}

async function drain(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

async function rebuild(): Promise<void> {
  rmSync(join(options.dir, 'tile'), { recursive: true });
  await (await openLedger(options)).close();
}
