import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memberId } from '../../packages/orchestrator/src/agent/members.ts';
import type { GangPlace, StartRequest } from '../../packages/orchestrator/src/agent/protocol.ts';
import { portsOf } from '../../packages/orchestrator/src/reconcile/start-request.ts';
import type { SshRunner } from '../../packages/orchestrator/src/ssh/open-runner.ts';
import { openAgentNode } from '../../packages/orchestrator/src/targets/agent-node.ts';
import { buildAgent } from '../../packages/orchestrator/src/targets/local/agent-archive.ts';
import type { Node } from '../../packages/orchestrator/src/targets/target.ts';
import { type Bed, computeHosts } from './bed.ts';
import { until } from './her.ts';
import { openRunners } from './ssh-runners.ts';

export type AgentLine = { seq: number; type: string; [field: string]: unknown };
export type Member = { name: string; index: number; node: Node; address: string };

/** What each member runs, in the same words as a start request; limits of the gang in seconds. */
export type GangWork = {
  files: Record<string, string>;
  argv: string[];
  env?: Record<string, string>;
  launcher?: 'torchrun' | 'ray';
  gatherSeconds?: number;
  lostSeconds?: number;
};

/** Two hosts of the bed, each with an agent that is driven over ssh; all folders lie on their shared disk. */
export async function openGangBed(bed: Bed) {
  process.env['HER_SSH_CONFIG'] = bed.ssh.config;
  const folder = await mkdtemp(join(tmpdir(), 'her-gang-'));
  const root = await mkdtemp(join(bed.shared, 'gang-'));
  const agent = await buildAgent(join(root, 'bundle'));
  const runners = openRunners(folder);
  const connected = new Map<string, SshRunner>();
  /** After a cut or a crash: a connection of before may take long to say that it is gone. */
  const connect = async (name: string): Promise<SshRunner> => {
    await connected.get(name)?.close();
    const runner = await runners.open(name);
    connected.set(name, runner);
    return runner;
  };
  const members: Member[] = [];
  for (const [index, name] of computeHosts(bed, 2).entries()) {
    const runner = await connect(name);
    const node = openAgentNode({
      name,
      address: async () => null,
      root: async () => root,
      call: async () => ({ runner: connected.get(name) ?? runner, python: 'python3', agent }),
      runner,
      fingerprint: async () => ({ digest: '', facts: {} }),
      baseEnv: async () => ({}),
      inEnvironment: async (_, request) => request,
    });
    const address = bed.hosts.find((host) => host.name === name)?.addresses[0] ?? '';
    members.push({ name, index, node, address });
  }
  const key = randomBytes(32).toString('hex');
  const fileOf = (attempt: string, index: number, name: string) =>
    join(root, 'attempts', memberId(attempt, index), name);

  function request(attempt: string, index: number, work: GangWork): StartRequest {
    const [linkPort, port] = portsOf(attempt);
    const gang: GangPlace & { gatherSeconds: number; lostSeconds: number } = {
      index,
      size: members.length,
      main: attempt,
      address: members[0]?.address ?? '',
      linkPort,
      port,
      launcher: work.launcher ?? 'torchrun',
      gpusPerNode: 0,
      cores: 2,
      gatherSeconds: work.gatherSeconds ?? 120,
      lostSeconds: work.lostSeconds ?? 60,
    };
    return {
      protocol: 1,
      attempt: memberId(attempt, index),
      token: 'token',
      job: { id: '0123456789abcdef', name: 'a gang' },
      files: work.files,
      inputs: [],
      ranks: [{ argv: work.argv }],
      env: { PATH: '/usr/bin:/bin', ...work.env },
      secrets: {},
      metrics: [],
      checkpoints: null,
      seeds: null,
      outputs: [],
      gang,
      gangKey: key,
      limits: { firstStepSeconds: 120, silenceSeconds: 120, graceSeconds: 20, heartbeatSeconds: 1 },
    };
  }

  async function events(attempt: string, index: number): Promise<AgentLine[]> {
    const path = fileOf(attempt, index, 'events.jsonl');
    if (!existsSync(path)) return [];
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }

  return {
    members,
    key,
    root,
    request,
    events,
    start: (attempt: string, work: GangWork, which = members) =>
      Promise.all(which.map(({ node, index }) => node.start(request(attempt, index, work)))),
    log: async (attempt: string, index: number, name = 'rank-0'): Promise<string> => {
      const path = fileOf(attempt, index, `logs/${name}.log`);
      return existsSync(path) ? readFile(path, 'utf8') : '';
    },
    ended: (attempt: string, index: number, seconds: number): Promise<AgentLine> =>
      until(`the end of ${memberId(attempt, index)}`, seconds, async () => {
        const last = (await events(attempt, index)).at(-1);
        return last?.type === 'ended' ? last : undefined;
      }).catch(async (error: unknown) => {
        const told = (await events(attempt, index)).filter(({ type }) => type !== 'heartbeat');
        const lines = told.slice(-20).map((line) => JSON.stringify(line));
        throw new Error(`${String(error)}; what was told until then:\n${lines.join('\n')}`);
      }),
    connect,
    /** Words of a command on a member's host. */
    on: async ({ name, node }: Member, ...argv: string[]): Promise<string> =>
      (await (connected.get(name) ?? node.runner).run(argv, { timeout: 30 })).stdout.trim(),
    close: async () => {
      await runners.close();
      await rm(folder, { recursive: true, force: true });
      await rm(root, { recursive: true, force: true });
    },
  };
}

export type GangBed = Awaited<ReturnType<typeof openGangBed>>;
