import { expect, test } from 'vitest';
import { HerError } from '../errors.ts';
import type { Place } from '../exec/run-on.ts';
import { topLines } from '../views/top.ts';
import { watchNodes } from './watch-nodes.ts';

const answer = `== load
0.52 0.4 0.3 1/2 3
== cores
96
== memory
MemTotal:       1056766976 kB
MemAvailable:    528383488 kB
== disk
/dev/sda 100 50 1073741824 50% /data
== nvidia
0, H100, 90 %, 40960 MiB, 81920 MiB, 60
1, H100, 100 %, 40960 MiB, 81920 MiB, 71
== end
`;

/** Not a machine: it gives the answer that the test says. */
function place(name: string, run: Place['runner']['run']): Place {
  const stream = (): never => {
    throw new Error('nothing is streamed here');
  };
  return { name, python: 'python3', runner: { host: name, run, stream, close: async () => undefined } };
}

test('a node out of reach is unknown since then, one that hangs is awaited, and neither holds up another', async () => {
  const over = new AbortController();
  let asked = 0;
  const watched = watchNodes(
    [
      place('fine', async () => {
        asked += 1;
        return { exitCode: 0, stdout: answer, stderr: '' };
      }),
      place('away', async () => {
        throw new HerError('AGENT_UNREACHABLE', 'away cannot be reached: no route to it');
      }),
      place('hangs', () => new Promise(() => undefined)),
    ],
    '~/.her',
    10,
    over.signal,
  );
  while (asked < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  const [fine, away, hangs] = watched.views();
  over.abort();
  expect(fine?.load?.cores).toBe(96);
  expect(away?.unknown?.why).toContain('no route');
  expect(hangs).toEqual({ name: 'hangs', load: null, unknown: null });
  const scene = { study: 's', target: 't', kind: 'ssh', nodes: watched.views(), jobs: [job] };
  const text = topLines(scene, { gpus: true }).join('\n');
  expect(text).toMatch(
    /^fine +0\.52 of 96 +504 of 1008 GiB +1024 GiB +2 × {2}95 % {2}80\.0 of 160 GiB {2}71 °C +sft\/11$/m,
  );
  expect(text).toMatch(/^ +1 {2}100 % {2}40\.0 of 80\.0 GiB {2}71 °C {2}H100$/m);
  expect(text).toMatch(/^away .*unknown since \d{4}-.*no route to it\)$/m);
  expect(text).toMatch(/^sft\/11 +fine, away +5\/10 +2\.5 s a step +12 s$/m);
});

const job = {
  job: { id: 'a', name: 'sft/11' },
  attempt: 'a-1',
  nodes: ['fine', 'away'],
  step: 5,
  maxSteps: 10,
  secondsPerStep: 2.5,
  secondsLeft: 12,
  unknownSince: null,
};
