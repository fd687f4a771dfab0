import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { metrics, openTest, scratch } from './testing.ts';
import { verifyLedger } from './verify/verify.ts';

/** A small file system of its own for a test. */
function smallDisk(path: string): Disposable | undefined {
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path], { stdio: 'pipe' });
  } catch {
    return undefined;
  }
  return { [Symbol.dispose]: () => execFileSync('umount', [path], { stdio: 'pipe' }) };
}

describe('a full disk', () => {
  it('rejects the append, keeps what was acknowledged, and goes on once there is space', async ({ skip }) => {
    using place = scratch();
    const mount = join(place.path, 'disk');
    using disk = smallDisk(mount);
    if (disk === undefined) {
      const why = 'a small file system cannot be mounted here (it takes root)';
      if (process.env['CI']) throw new Error(why);
      return skip(why);
    }
    const dir = join(mount, 'ledger');
    const ledger = await openTest({ dir, keyFile: place.keyFile }, { segmentEntries: 90 });
    await ledger.append(metrics(100));
    const { bavail, bsize } = statfsSync(mount);
    writeFileSync(join(mount, 'filler'), Buffer.alloc((bavail - 4) * bsize));

    const outcomes = await Promise.allSettled([ledger.append(metrics(400)), ledger.append(metrics(5))]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'LEDGER_DISK_FULL' } });
    }
    await expect(ledger.putBlob(Buffer.alloc(100_000))).rejects.toMatchObject({ code: 'LEDGER_DISK_FULL' });
    expect(ledger.size).toBe(100);
    expect(await verifyLedger(dir)).toMatchObject({ ok: true, size: 100 });

    rmSync(join(mount, 'filler'));
    await ledger.append(metrics(250));
    await ledger.close();
    expect(await verifyLedger(dir)).toMatchObject({ ok: true, size: 350, sealed: 350 });
  });
});
