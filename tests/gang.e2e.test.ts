import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memberId } from '../packages/orchestrator/src/agent/members.ts';
import { type Bed, bed as bedCommand, bedlessReason, openBed, visibleEnvironments } from './support/bed.ts';
import { environmentPaths } from './support/bed-study.ts';
import { type GangBed, type GangWork, type Member, openGangBed } from './support/gang.ts';
import { until } from './support/her.ts';

const why = bedlessReason('Gangs over hosts');

/** Ranks that talk to each other, as trainers do: who loses the other one dies of it. */
const talking = `
import os, socket, sys, time
at = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
if os.environ["NODE_RANK"] == "0":
    peer, _ = socket.create_server(at).accept()
else:
    for _ in range(300):
        try:
            peer = socket.create_connection(at, 5)
            break
        except OSError:
            time.sleep(0.1)
peer.settimeout(None)
print("together", os.getpid(), flush=True)
if peer.recv(1) == b"":
    sys.exit("Connection closed by peer")
`;
const talk: GangWork = { files: { 'rank.py': talking }, argv: ['/usr/bin/python3', 'rank.py'] };

/** A driver with an actor on each node. */
const driver = `
import os, ray
ray.init()
print("nodes", *sorted(node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]), flush=True)
@ray.remote(num_gpus=1)
class Worker:
    def pid(self): return ray.util.get_node_ip_address(), os.getpid()
    def work(self):
        import time
        time.sleep(600)
workers = [Worker.remote() for _ in range(2)]
for address, pid in ray.get([worker.pid.remote() for worker in workers]): print("actor", address, pid, flush=True)
ray.get([worker.work.remote() for worker in workers])
`;

let bed: Bed;
let gang: GangBed;
let counter = 0;
const attempt = () => `gang-${process.pid}-${++counter}`;

describe.skipIf(why !== null)('a gang over hosts', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    bed = await openBed();
    gang = await openGangBed(bed);
  }, 900_000);
  afterAll(async () => {
    await gang?.close();
    await bed?.close();
  });

  test('a rank that is killed ends all nodes within ten seconds, and is named by each', async () => {
    const id = attempt();
    const [first, second] = pair();
    await gang.start(id, talk, [second]);
    await sleep(1000);
    expect(await gang.log(id, 1)).toBe('');
    // A repetition starts what is not started yet, and nothing twice.
    expect((await gang.start(id, talk)).map(({ state }) => state)).toEqual(['started', 'already']);
    await Promise.all([together(id, 0), together(id, 1)]);
    expect(await gang.on(second, 'readlink', `${gang.root}/attempts/${id}-n1/out`)).toBe(`../${id}/out`);
    await gang.on(second, 'kill', '-9', await together(id, 1));
    const killed = performance.now();
    const [here, there] = await Promise.all([gang.ended(id, 0, 10), gang.ended(id, 1, 10)]);
    process.stderr.write(`gang: ended ${Math.round(performance.now() - killed)} ms after the kill\n`);
    expect(there).toMatchObject({ reason: 'signalled', signal: 'SIGKILL', rank: 0 });
    expect(here).toMatchObject({
      reason: 'gang-ended',
      by: { node: 1, host: second.name, rank: 0, signal: 'SIGKILL' },
      message: `rank 0 on node 1 (${second.name}) was ended by SIGKILL`,
    });
    for (const member of [first, second]) expect(await leftOn(member, id)).toBe('');
    const { stdout } = await execa('grep', ['-rl', gang.key, gang.root], { reject: false });
    expect(stdout).toBe('');
  });

  test('a cut shorter than the limit is no end; a longer one ends both sides, each naming the other', async () => {
    const id = attempt();
    const [first, second] = pair();
    await gang.start(id, { ...talk, lostSeconds: 12 });
    await Promise.all([together(id, 0), together(id, 1)]);
    await bedCommand(['cut', second.name]);
    try {
      await sleep(8_000);
      await bedCommand(['restore', second.name]);
      // TCP sends again after pauses that double: they hear each other some seconds after the link is there.
      await sleep(10_000);
      expect((await gang.events(id, 0)).at(-1)?.type).toBe('heartbeat');
      await bedCommand(['cut', second.name]);
      const cut = performance.now();
      const [here, there] = await Promise.all([gang.ended(id, 0, 60), gang.ended(id, 1, 60)]);
      expect(here).toMatchObject({
        reason: 'gang-ended',
        by: { node: 1, host: second.name, reason: 'peer-lost' },
      });
      expect(there).toMatchObject({
        reason: 'gang-ended',
        by: { node: 0, host: first.name, reason: 'peer-lost' },
      });
      // Silence of 20 s is a broken link, the last word at most 5 s old: the first cut counts no more.
      expect(performance.now() - cut).toBeGreaterThan((15 + 12) * 1000);
    } finally {
      await bedCommand(['restore', second.name], false);
      await gang.connect(second.name);
    }
    for (const member of [first, second]) expect(await leftOn(member, id)).toBe('');
  });

  test('a host that dies ends the others; back again, it says that its part is lost, and is reaped', async () => {
    const id = attempt();
    const [, second] = pair();
    await gang.start(id, { ...talk, lostSeconds: 5 });
    await Promise.all([together(id, 0), together(id, 1)]);
    await bedCommand(['crash', second.name]);
    try {
      const here = await gang.ended(id, 0, 60);
      expect(here).toMatchObject({ reason: 'gang-ended', by: { node: 1, reason: 'peer-lost' } });
    } finally {
      await bedCommand(['boot', second.name], false);
    }
    await until('the host', 30, () => gang.connect(second.name).catch(() => undefined));
    const lost = await until('its agent', 30, () => second.node.status(`${id}-n1`).catch(() => undefined));
    expect(lost.health).toBe('lost');
    await second.node.reap(`${id}-n1`, 1);
    expect((await second.node.status(`${id}-n1`)).reason).toBe('agent-lost');
  });

  // Ray gives a raylet 30 s to start, whatever else the machine is doing.
  test('a Ray cluster of its own: a killed actor ends it on both hosts, is named, and nothing is left', {
    retry: 1,
  }, async () => {
    const id = attempt();
    const { verl } = await environmentPaths(await visibleEnvironments());
    const bin = `${verl?.path}/bin`;
    const work: GangWork = {
      launcher: 'ray',
      files: { 'driver.py': driver },
      argv: [`${bin}/python`, 'driver.py'],
      env: { PATH: `${bin}:/usr/bin:/bin` },
    };
    const begun = performance.now();
    await gang.start(id, work);
    const second = pair()[1];
    const actor = await until('both actors', 150, async () => {
      const log = await gang.log(id, 0);
      const ends = await gang.events(id, 0);
      if (ends.at(-1)?.type === 'ended') throw new Error(JSON.stringify(ends.at(-1)));
      return log.match(/^actor /gm)?.length === 2
        ? new RegExp(`actor ${second.address} (\\d+)`).exec(log)?.[1]
        : undefined;
    });
    const formed = (await gang.events(id, 0)).find(({ type }) => type === 'cluster');
    expect(formed).toMatchObject({ gpus: 2, nodes: gang.members.map(({ address }) => ({ address })) });
    await gang.on(second, 'kill', '-9', actor);
    const killed = performance.now();
    const [here, there] = await Promise.all([gang.ended(id, 0, 15), gang.ended(id, 1, 15)]);
    process.stderr.write(
      `gang: Ray formed in ${formed?.['seconds']} s, driver after ${Math.round(killed - begun)} ms, ended ${Math.round(performance.now() - killed)} ms after the kill\n`,
    );
    const worker = { pid: Number(actor), node: 1, host: second.name };
    expect(here).toMatchObject({ reason: 'exited', code: 1, worker });
    expect(there).toMatchObject({ reason: 'gang-ended', by: { node: 0, rank: 0, code: 1, worker } });
    for (const member of pair()) expect(await leftOn(member, id)).toBe('');
  });
});

function pair(): [Member, Member] {
  const [first, second] = gang.members;
  if (first === undefined || second === undefined) throw new Error('two hosts are needed');
  return [first, second];
}

/** The pid of a rank, once it talks. */
function together(id: string, index: number): Promise<string> {
  return until('both ranks', 60, async () => /together (\d+)/.exec(await gang.log(id, index))?.[1]);
}

/** Processes of the attempt, its temporary folder, and what Ray leaves elsewhere. */
async function leftOn(member: Member, id: string): Promise<string> {
  const own = memberId(id, member.index);
  const folder = createHash('sha256').update(`${gang.root}/attempts/${own}`).digest('hex').slice(0, 10);
  const script = [
    `for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ 2>/dev/null | grep -qx 'HER_ATTEMPT=${own}' && cat $p/cmdline; done`,
    `ls -d /tmp/her-0-${folder} /tmp/ray /dev/shm/* 2>/dev/null`,
    'pgrep -la "raylet|gcs_server"',
    'true',
  ].join('; ');
  return gang.on(member, 'sh', '-c', script);
}
