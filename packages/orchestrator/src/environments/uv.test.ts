import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { stoppable } from './uv.ts';

test.runIf(process.platform === 'linux')(
  'an interrupted step of setting up ends with all its children',
  async () => {
    const controller = new AbortController();
    const options = { ...stoppable(controller.signal), reject: false } as const;
    const child = execa('sh', ['-c', 'sleep 60 & echo $!; wait'], options);
    const [pid] = await once(child.stdout, 'data');
    expect(await isAlive(Number(pid))).toBe(true);
    controller.abort();
    expect(await child).toMatchObject({ isCanceled: true });
    await expect.poll(() => isAlive(Number(pid))).toBe(false);
  },
);

/** A process that ended may stay in the table until its parent asks for it. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: X');
  return !/^State:\s*[ZX]/m.test(status);
}
