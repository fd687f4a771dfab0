import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StartRequest } from '../packages/orchestrator/src/agent/protocol.ts';
import { usualTiming } from '../packages/orchestrator/src/ssh/connection.ts';
import { openPool } from '../packages/orchestrator/src/ssh/open-ssh2.ts';
import { openAgentNode } from '../packages/orchestrator/src/targets/agent-node.ts';
import { buildAgent } from '../packages/orchestrator/src/targets/local/agent-archive.ts';
import type { Node } from '../packages/orchestrator/src/targets/target.ts';
import { type Bed, bed as bedCommand, bedlessReason, openBed } from './support/bed.ts';
import { until } from './support/her.ts';
import { openSlowLink, type SlowLink } from './support/slow-link.ts';
import { bytesOf, openRunners, type Runners, refused } from './support/ssh-runners.ts';

const why = bedlessReason('SSH over bad links');

let bed: Bed;
let folder = '';
let root = '';
let agent = '';
let runners: Runners;
let counter = 0;

describe.skipIf(why !== null)('ssh over bad links', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    bed = await openBed();
    folder = await mkdtemp(join(tmpdir(), 'her-link-'));
    root = await mkdtemp(join(bed.shared, 'link-'));
    agent = await buildAgent(join(root, 'bundle'));
    runners = openRunners(folder);
  }, 900_000);
  afterAll(async () => {
    if (folder === '') return;
    await runners.close();
    await bedCommand(['restore', 'h1'], false);
    await rm(folder, { recursive: true, force: true });
    await rm(root, { recursive: true, force: true });
    await bed.close();
  });

  test('a link that is away for ten seconds: what waits goes on, what is impatient says that it knows nothing', async () => {
    process.env['HER_SSH_CONFIG'] = bed.ssh.config;
    const patient = await runners.open('h1');
    const timing = { ...usualTiming, keepaliveMs: 1000, keepaliveCount: 2, connectMs: 2000 };
    const pool = openPool(runners.home, { timing });
    const impatient = await runners.open('h1', { pool });
    const count = 'i=0; while [ $i -lt 150 ]; do echo $i; i=$((i+1)); sleep 0.1; done';
    const letGo = new AbortController();
    const streams = [patient, impatient].map((runner) => runner.stream(['sh', '-c', count], letGo.signal));
    const [all, broken] = streams.map(({ chunks }) => bytesOf(chunks));
    const lost = refused(async () => broken);
    const run = impatient.run(['sleep', '20']);
    const lostRun = refused(async () => run);
    await sleep(2000);
    const since = performance.now();
    await bedCommand(['cut', 'h1']);
    try {
      expect(await lost).toMatchObject({
        code: 'AGENT_UNREACHABLE',
        message: expect.stringContaining('nothing came from it for 3 s'),
      });
      expect((await lostRun).code).toBe('AGENT_UNREACHABLE');
      expect((await refused(() => impatient.run(['true']))).code).toBe('AGENT_UNREACHABLE');
      await sleep(Math.max(0, 10_000 - (performance.now() - since)));
    } finally {
      await bedCommand(['restore', 'h1']);
    }
    await expect
      .poll(
        () =>
          impatient.run(['hostname']).then(
            ({ stdout }) => stdout,
            () => '',
          ),
        { timeout: 30_000 },
      )
      .toBe('h1\n');
    expect(String(await all)).toBe(Array.from({ length: 150 }, (_, at) => `${at}\n`).join(''));
    await impatient.close();
    pool.close();
  });

  describe('at 50 ms each way', () => {
    let link: SlowLink;
    beforeAll(async () => {
      link = await openSlowLink(bed, folder, 50);
      process.env['HER_SSH_CONFIG'] = link.config;
    });
    afterAll(() => link?.close());

    test('a launch costs no more than 1.5 times `ssh h1 true` and a second', async () => {
      const rounds: { bare: number; launch: number }[] = [];
      const isCheap = ({ bare, launch }: (typeof rounds)[number]): boolean => launch <= 1.5 * bare + 1;
      while (rounds.length < 3 && !rounds.some(isCheap)) {
        await runners.close();
        const bare = await seconds(async () =>
          execa('ssh', ['-F', link.config, 'h1', 'true'], { stdin: 'ignore' }),
        );
        const launch = await seconds(async () => {
          const { state } = await nodeOn(await runners.open('h1')).start(requestOf('true'));
          expect(state).toBe('started');
        });
        rounds.push({ bare, launch });
      }
      process.stdout.write(`launch and ssh h1 true, seconds by round: ${JSON.stringify(rounds)}\n`);
      expect(rounds.some(isCheap)).toBe(true);
    });

    test('log bytes come at 70 % at least of the pace of rsync', async () => {
      const node = nodeOn(await runners.open('h1'));
      // What a log may be at its worst: nothing in it can be compressed.
      const request = requestOf('head -c 30000000 /dev/urandom | base64 -w 100');
      await node.start(request);
      await until('the end of the attempt', 30, async () =>
        (await node.status(request.attempt)).health === 'ended' ? true : undefined,
      );
      const path = await node.attemptPath(request.attempt, 'logs/rank-0.log');
      const { size } = await stat(path);
      const rates: { ours: number; theirs: number }[] = [];
      for (let round = 0; round < 3 && !rates.some(isEnough); round += 1) {
        const ours = await seconds(async () => {
          const bytes = await bytesOf(node.log(request.attempt, 0, 0, false, new AbortController().signal));
          expect(bytes.length).toBe(size);
        });
        const remote = ['-e', `ssh -F ${link.config}`, '--whole-file'];
        const theirs = await seconds(async () =>
          execa('rsync', [...remote, `h1:${path}`, join(folder, `copy-${round}`)]),
        );
        // A connection that stands is ours: theirs is not to be charged for its own.
        const dialled = await seconds(async () => execa('rsync', [...remote, '--list-only', `h1:${path}`]));
        rates.push({ ours: size / ours / 1e6, theirs: size / (theirs - dialled) / 1e6 });
      }
      process.stdout.write(`log, MB/s by round: ${JSON.stringify(rates)}\n`);
      expect(rates.some(isEnough)).toBe(true);
    });

    test('a jump host that goes away is unreachable, and comes back by itself', async () => {
      const runner = await runners.open('h1');
      const stream = runner.stream(['sh', '-c', 'echo begun; sleep 60'], new AbortController().signal);
      const reading = stream.chunks[Symbol.asyncIterator]();
      await reading.next();
      await link.cut();
      expect((await refused(() => reading.next())).code).toBe('AGENT_UNREACHABLE');
      expect((await refused(() => runner.run(['true']))).code).toBe('AGENT_UNREACHABLE');
      await link.mend();
      await expect
        .poll(
          () =>
            runner.run(['hostname']).then(
              ({ stdout }) => stdout,
              () => '',
            ),
          { timeout: 30_000 },
        )
        .toBe('h1\n');
    });
  });
});

/** What else the machine does weighs on one of the two now and then: one round of three is enough. */
function isEnough({ ours, theirs }: { ours: number; theirs: number }): boolean {
  return ours >= 0.7 * theirs;
}

async function seconds(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return (performance.now() - begun) / 1000;
}

function nodeOn(runner: Awaited<ReturnType<Runners['open']>>): Node {
  return openAgentNode({
    name: 'h1',
    address: async () => null,
    root: async () => root,
    call: async () => ({ runner, python: 'python3', agent }),
    runner,
    fingerprint: async () => ({ digest: '', facts: {} }),
    baseEnv: async () => ({}),
    inEnvironment: async (_, request) => request,
  });
}

function requestOf(program: string): StartRequest {
  counter += 1;
  const attempt = `${process.pid.toString(16).padStart(16, '0')}-${counter}`;
  return {
    protocol: 1,
    attempt,
    token: `token of ${attempt}`,
    job: { id: attempt, name: 'a stand-in' },
    files: {},
    inputs: [],
    ranks: [{ argv: ['sh', '-c', program] }],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    secrets: {},
    metrics: [],
    checkpoints: null,
    seeds: null,
    outputs: [],
    limits: { firstStepSeconds: 60, silenceSeconds: 60, graceSeconds: 5, heartbeatSeconds: 1 },
  };
}
