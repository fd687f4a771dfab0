import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { metrics, openTest, scratch } from './testing.ts';

const PROGRAM = fileURLToPath(new URL('../conformance/', import.meta.url));

describe('the Go implementation of signed notes and transparency logs', () => {
  it('verifies our checkpoint, root and tiles', { timeout: 120_000 }, async ({ skip }) => {
    if (spawnSync('go', ['version']).status !== 0 && !process.env['CI'])
      return skip('go is not on this machine');
    using place = scratch();
    const built = `${place.path}/conformance`;
    execFileSync('go', ['build', '-o', built, '.'], { cwd: PROGRAM, stdio: 'pipe' });
    let written = 0;
    for (const count of [1, 254, 1, 1, 443, 67_000]) {
      const ledger = await openTest(place, { segmentEntries: 10_000 });
      await ledger.append(metrics(count));
      const { root } = await ledger.checkpoint();
      await ledger.close();
      written += count;
      const out = execFileSync(built, [place.dir], { encoding: 'utf8' });
      expect(out).toContain(`ok size=${written} root=${root} `);
    }
  });
});
