import { describe, expect, it } from 'vitest';
import { openLanes } from './lanes.ts';

/** Connections to a server with so many sessions each. */
function server(sessions: number) {
  const opened: { used: number; lost: boolean }[] = [];
  const lanes = openLanes(
    async () => {
      const connection = { used: 0, lost: false };
      opened.push(connection);
      return connection;
    },
    ({ lost }) => lost,
  );
  /** As a runner does it: where the server refuses, once more. */
  const hold = async (use: 'run' | 'stream'): Promise<() => void> => {
    for (;;) {
      const slot = await lanes.take(use);
      await Promise.resolve();
      if (slot.connection.used < sessions) {
        slot.connection.used += 1;
        return () => {
          slot.connection.used -= 1;
          slot.release();
        };
      }
      slot.refused();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  return { opened, lanes, hold };
}

describe('channels', () => {
  it.each([1, 2, 5, 10])(
    'forty runs at once on a server of %i sessions share one connection',
    async (sessions) => {
      const { hold, opened } = server(sessions);
      const runs = Array.from({ length: 40 }, async () => {
        const release = await hold('run');
        await new Promise((resolve) => setTimeout(resolve, 1));
        release();
      });
      await Promise.all(runs);
      expect(opened).toHaveLength(1);
    },
  );

  it('streams leave a place for runs, and take a new connection where there is none', async () => {
    const { hold, opened } = server(10);
    await Promise.all(Array.from({ length: 20 }, () => hold('stream')));
    expect(opened).toHaveLength(3);
    (await hold('run'))();
    expect(opened).toHaveLength(3);
  });

  it('a lost connection is replaced', async () => {
    const { hold, opened } = server(10);
    (await hold('run'))();
    for (const one of opened) one.lost = true;
    (await hold('run'))();
    expect(opened).toHaveLength(2);
  });
});
