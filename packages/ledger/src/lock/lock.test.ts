import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratch } from '../testing.ts';
import { acquireLock, type LockHolder } from './lock.ts';
import { livenessOf, ownIdentity } from './process-identity.ts';

function lockedBy(dir: string, change: Partial<LockHolder>): LockHolder {
  const since = '2026-01-01T00:00:00.000Z';
  const holder = { ...ownIdentity(), nonce: '00000000000000aa', since, ...change };
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'lock'), `${JSON.stringify(holder)}\n`);
  return holder;
}

/** More than any pid_max. */
const NO_PID = 2 ** 30;

describe('the lock', () => {
  it('is refused while its holder lives, with who and since when', async () => {
    using place = scratch();
    mkdirSync(place.dir);
    const lock = await acquireLock(place.dir);
    const error: unknown = await acquireLock(place.dir).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'LEDGER_LOCKED' });
    expect(String(error)).toContain(
      `process ${process.pid} on ${lock.holder.host}, since ${lock.holder.since}`,
    );
    await lock.release();
    const again = await acquireLock(place.dir);
    expect(again.broken).toBeUndefined();
    await again.release();
    expect(readdirSync(place.dir)).toEqual([]);
  });

  it.each([
    ['its process is gone', { pid: NO_PID }],
    ['its pid belongs to a later process', { startTime: '1' }],
    ['its host booted since', { bootId: '00000000-0000-0000-0000-000000000000' }],
  ])('is broken when %s', async (_name, change) => {
    using place = scratch();
    const stale = lockedBy(place.dir, change);
    const lock = await acquireLock(place.dir);
    expect(lock.broken).toEqual(stale);
    expect(JSON.parse(readFileSync(join(place.dir, 'lock'), 'utf8'))).toEqual(lock.holder);
    expect(readdirSync(place.dir)).toEqual(['lock']);
  });

  it.each([
    ['another host', { host: 'elsewhere.example', pid: NO_PID }],
    ['another pid namespace', { pidSpace: 'pid:[1]', pid: NO_PID }],
  ])('of %s is never broken on a guess, and the error says how', async (_name, change) => {
    using place = scratch();
    const holder = lockedBy(place.dir, change);
    await expect(acquireLock(place.dir)).rejects.toMatchObject({
      code: 'LEDGER_LOCKED',
      hint: expect.stringContaining(
        `look on ${holder.host}, and if it does not, remove ${join(place.dir, 'lock')}`,
      ),
    });
    expect(readdirSync(place.dir)).toEqual(['lock']);
  });

  it('that is not ours to read is not broken', async () => {
    using place = scratch();
    mkdirSync(place.dir);
    writeFileSync(join(place.dir, 'lock'), '');
    await expect(acquireLock(place.dir)).rejects.toMatchObject({ code: 'LEDGER_LOCKED' });
  });

  it('when stale has one heir among many', async () => {
    for (let round = 0; round < 30; round += 1) {
      using place = scratch();
      lockedBy(place.dir, { pid: NO_PID });
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(place.dir)));
      const won = outcomes.filter(({ status }) => status === 'fulfilled');
      expect(won).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'LEDGER_LOCKED' });
      }
    }
  });

  it('passes on when its heir died between the claim and the lock', async () => {
    using place = scratch();
    const stale = lockedBy(place.dir, { pid: NO_PID });
    const heir = { ...stale, nonce: '00000000000000bb' };
    writeFileSync(join(place.dir, `lock.after-${stale.nonce}`), `${JSON.stringify(heir)}\n`);
    const lock = await acquireLock(place.dir);
    expect(lock.broken).toEqual(heir);
    expect(readdirSync(place.dir)).toEqual(['lock']);
  });

  it('whose heir lives is refused', async () => {
    using place = scratch();
    const stale = lockedBy(place.dir, { pid: NO_PID });
    const heir = { ...stale, ...ownIdentity(), nonce: '00000000000000bb' };
    writeFileSync(join(place.dir, `lock.after-${stale.nonce}`), `${JSON.stringify(heir)}\n`);
    await expect(acquireLock(place.dir)).rejects.toMatchObject({ code: 'LEDGER_LOCKED' });
  });

  it('knows when a person removed it', async () => {
    using place = scratch();
    const other = lockedBy(place.dir, { pid: NO_PID });
    const lock = await acquireLock(place.dir);
    expect(await lock.isHeld()).toBe(true);
    lockedBy(place.dir, { nonce: other.nonce });
    expect(await lock.isHeld()).toBe(false);
    await lock.release();
    expect(readdirSync(place.dir)).toEqual(['lock']);
  });
});

describe('liveness', () => {
  it('of this process is alive, of a zombie or a later pid dead', () => {
    expect(livenessOf(ownIdentity())).toBe('alive');
    expect(livenessOf({ ...ownIdentity(), startTime: '0' })).toBe('dead');
    expect(livenessOf({ ...ownIdentity(), host: 'x' })).toBe('unknown');
  });
});
