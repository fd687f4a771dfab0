import { memberId } from '../../agent/members.ts';
import type { StartReply, StartRequest } from '../../agent/protocol.ts';
import { openAgentNode } from '../agent-node.ts';
import type { AgentCall } from '../agent-verbs.ts';
import { nodeNamed } from '../places.ts';
import type { Runner } from '../runner.ts';
import type { Node, Target } from '../target.ts';
import { type Seen, submitted } from './agent-replies.ts';
import { batchScript } from './batch-script.ts';
import { handSecrets } from './hand-secrets.ts';
import { type JobState, standingWords } from './job-state.ts';
import { openQueue } from './queue.ts';
import type { SlurmSettings } from './settings.ts';
import { heard, openSlurmNode } from './slurm-node.ts';
import { openSubmissions, type Submission } from './submissions.ts';

export type SlurmTargetOptions = {
  name: string;
  settings: SlurmSettings;
  /** Absolute, and seen by the login node and all nodes alike. */
  root(): Promise<string>;
  /** Where sbatch is: the login node, or this machine. */
  runner: Runner;
  /** The agent on the shared root, once it is there. */
  call(): Promise<AgentCall>;
  prepare: Target['prepare'];
  bring: Target['bring'];
  fingerprint: Node['fingerprint'];
  baseEnv: Node['baseEnv'];
  /** The secrets of the study, for attempts whose job starts after they were submitted; not for those who only look. */
  secrets?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
  /** How long a job that has started waits for its secrets before it gives its nodes back. */
  secretSeconds?: number;
  /** Milliseconds between two looks at the queue, and that a shared file system may lag behind. */
  pace?: { queue?: number; settle?: number };
};

/** Where an attempt stands in Slurm, for people. */
export type Standing = { job: string; state: JobState; words: string };

export type SlurmTarget = Target & {
  /** Null for an attempt that was not submitted or has ended. */
  standing(attempt: string): Promise<Standing | null>;
};

/**
 * Slurm as a target: `n0`, `n1`, … stand for the nodes that each attempt gets. All that is read is read where sbatch
 * is, from the shared root; inside the allocation the agents run by themselves.
 */
export function openSlurmTarget(options: SlurmTargetOptions): SlurmTarget {
  const { name, settings, root: place, runner, call, secretSeconds = 600, pace = {} } = options;
  const queue = openQueue({ runner, ...(pace.queue === undefined ? {} : { every: pace.queue }) });
  const handing = new Map<string, Promise<void>>();

  const submissions = openSubmissions(async (batch, tasks) => {
    const [{ python, agent }, root] = await Promise.all([call(), place()]);
    const attempts = tasks.map(({ attempt }) => attempt);
    const nodes = tasks[0]?.requests.length ?? 1;
    const script = batchScript({
      name: batch,
      attempts,
      nodes,
      root,
      python,
      agent,
      settings,
      secretSeconds,
    });
    const input = JSON.stringify({ name: batch, script, tasks });
    return heard(reader.ask('slurm-submit', ['--root', root], submitted, { input, timeout: 300 }));
  });

  const reader = openAgentNode({
    name,
    address: async () => null,
    root: place,
    call,
    runner,
    fingerprint: options.fingerprint,
    baseEnv: options.baseEnv,
    // Images are refused: nothing stands around a rank.
    inEnvironment: async (_, request) => request,
  });

  const secretsWanted = async (attempt: string, index: number, seen: Seen): Promise<void> => {
    const { secrets: ask } = options;
    if (ask === undefined) return;
    const key = `${attempt} ${index}`;
    const under = handing.get(key);
    if (under !== undefined) return under;
    const done = (async () => {
      const [agent, root, secrets] = await Promise.all([call(), place(), ask()]);
      await handSecrets(agent, { root, attempt, index, seen }, secrets);
    })();
    handing.set(key, done);
    return done.finally(() => handing.delete(key));
  };

  const startGang: Target['startGang'] = async (requests) => {
    const ordered = [...requests.values()].sort((a, b) => (a.gang?.index ?? 0) - (b.gang?.index ?? 0));
    const { job: _job, state, agent } = await submissions.add(submissionOf(ordered));
    const reply = (request: StartRequest): StartReply => ({
      attempt: request.attempt,
      state,
      health: 'running',
      pid: null,
      bootId: null,
      agent,
    });
    return new Map([...requests].map(([node, request]) => [node, reply(request)]));
  };

  const nodes = Array.from({ length: settings.nodes }, (_, index) =>
    openSlurmNode({
      reader: { ...reader, name: `n${index}` },
      index,
      root: place,
      queue,
      secretsWanted,
      start: async (request) => {
        const replies = await startGang(new Map([[`n${index}`, request]]));
        return replies.values().next().value ?? unanswered();
      },
      ...(pace.settle === undefined ? {} : { settle: pace.settle }),
    }),
  );

  return {
    name,
    kind: 'slurm',
    storage: 'shared',
    nodes,
    node: (wanted) => nodeNamed(nodes, wanted, name),
    prepare: options.prepare,
    bring: options.bring,
    startGang,
    standing: async (attempt) => {
      const found = await nodes[0]?.known(attempt);
      if (found === undefined || found.job === null || found.state === null) return null;
      const { job, state } = found;
      return { job, state, words: standingWords(job, state) };
    },
    close: () => runner.close(),
  };
}

/**
 * What may reach the shared disk: no secrets, only their names; and no key of the gang, since one that comes to nodes
 * this way would lie there for as long as the queue is. Node 0 makes one when they start.
 */
function submissionOf(requests: readonly StartRequest[]): Submission {
  const [first] = requests;
  if (first === undefined) throw new TypeError('an attempt without a node');
  requests.forEach((request, index) => {
    if (request.attempt !== memberId(first.attempt, index))
      throw new TypeError(`${request.attempt} is not node ${index} of ${first.attempt}`);
  });
  return {
    attempt: first.attempt,
    token: first.token,
    awaits: Object.keys(first.secrets).sort(),
    requests: requests.map(({ gangKey: _gangKey, gang, ...request }) => ({
      ...request,
      secrets: {},
      ...(gang === undefined ? {} : { gang: { ...gang, address: '' } }),
    })),
  };
}

function unanswered(): never {
  throw new TypeError('the submission has no answer for its node');
}
