import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { AgentStatus, StartReply, StartRequest } from '../../agent/protocol.ts';
import { HerError } from '../../errors.ts';
import { askedAgain } from '../agent-answer.ts';
import type { Node } from '../target.ts';
import { type Seen, seen as seenReply } from './agent-replies.ts';
import { endingOf } from './endings.ts';
import { type JobState, standingWords } from './job-state.ts';
import type { Queue } from './queue.ts';

export type SlurmNodeOptions = {
  /** The agent's verbs where sbatch is: what they say of files holds on every node. */
  reader: Node;
  index: number;
  root(): Promise<string>;
  queue: Queue;
  start(request: StartRequest): Promise<StartReply>;
  /** Called while the agent of an attempt waits for secrets. */
  secretsWanted(attempt: string, index: number, seen: Seen): Promise<void>;
  /** Milliseconds that a shared file system may take to show an end that a job has left. */
  settle?: number;
};

/** What is known of one node of an attempt: by the shared folder, and by Slurm. */
export type Known = { seen: Seen; job: string | null; state: JobState | null };

/** One of the nodes that Slurm gives to an attempt; which machine it is, is known once it has begun. */
export function openSlurmNode(options: SlurmNodeOptions): Node & { known(attempt: string): Promise<Known> } {
  const { reader, index, root, queue } = options;
  const settle = options.settle ?? 10_000;
  const timers = new Set<NodeJS.Timeout>();

  const of = async (attempt: string): Promise<string[]> => [
    ...['--root', await root()],
    ...['--attempt', mainOf(attempt, index)],
  ];
  const member = ['--index', String(index)];
  const look = async (attempt: string): Promise<Seen> =>
    heard(reader.ask('slurm-view', [...(await of(attempt)), ...member], seenReply, { timeout: 120 }));

  /** Slurm is asked only where the folder does not say that it has ended. */
  const known = async (attempt: string): Promise<Known> => {
    const seen = await look(attempt);
    const job = seen.claimed ?? seen.job;
    const state = seen.health === 'ended' || job === null ? null : await queue.stateOf(job);
    if (seen.health === 'waiting' && job !== null && state?.is === 'active')
      await options.secretsWanted(mainOf(attempt, index), index, seen);
    return { seen, job, state };
  };

  const status = async (attempt: string): Promise<AgentStatus> => {
    let found = await known(attempt);
    if (isOver(found)) {
      await sleep(settle);
      found = await known(attempt);
    }
    const { seen, job, state } = found;
    if (state?.is === 'unknown' && !isOver(found)) throw unknownJob(seen.attempt, job);
    const { code, signal, reason, lastSeq, agentPid } = seen;
    return {
      ...{ attempt, code, signal, reason, lastSeq, agentPid, orphans: [] },
      health: healthOf(found),
      waits: job !== null && state?.is === 'pending' ? standingWords(job, state) : null,
    };
  };

  /** Of an attempt in the queue only the queue is asked, for all at once; its folder once it has left that. */
  const untilBegun = async (attempt: string, signal: AbortSignal): Promise<boolean> => {
    while (!signal.aborted) {
      const { health } = await look(attempt);
      if (health === 'begun' || health === 'ended') return true;
      const { job, state } = await known(attempt);
      if (job === null || state === null || state.is === 'over' || state.is === 'unknown') return false;
      let is: JobState['is'] = state.is;
      while (is === 'pending' && !signal.aborted) {
        await sleep(queue.every, undefined, { signal }).catch(() => undefined);
        ({ is } = await queue.stateOf(job));
      }
      await sleep(500, undefined, { signal }).catch(() => undefined);
    }
    return false;
  };

  return {
    ...reader,
    known,
    status,
    start: options.start,
    events: async function* (attempt, from, signal) {
      if (await untilBegun(attempt, signal)) yield* reader.events(attempt, from, signal);
    },
    stop: async (attempt, reason, grace) => {
      const words = ['--grace', String(grace), '--reason', reason];
      const told = await leaveWord([...(await of(attempt)), ...words]);
      const found = await known(attempt);
      const { job, seen, state } = found;
      if (job === null || seen.health === 'ended' || isOver(found)) return;
      const waits = state?.is === 'pending' && seen.health === 'absent';
      // Agents that cannot be told by a file are told by Slurm's own signal, with Slurm's grace.
      if (waits || !told) await cancel(reader, job);
      // The agent ends by itself within its grace. Should it not, its job is ended from here.
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          // Where Slurm does not answer now: who follows a stopped attempt asks for its end again.
          void endJob(attempt).catch(() => undefined);
        },
        (grace + stuck) * 1_000,
      ).unref();
      timers.add(timer);
    },
    reap: async (attempt) => {
      const found = await known(attempt);
      const { seen, state } = found;
      if (seen.health === 'ended') return;
      if (state === null || !isOver(found))
        throw new HerError('AGENT_UNREACHABLE', `Slurm does not say that the job of ${attempt} is over`);
      const { reason, message } = endingOf(state, seen.health === 'begun');
      const args = [...(await of(attempt)), ...member, '--reason', reason];
      await heard(reader.ask('slurm-bury', args, anything, { input: message }));
    },
  };

  /** Whether there was room for the word that the agents wait for. */
  async function leaveWord(args: string[]): Promise<boolean> {
    try {
      await heard(reader.ask('slurm-stop', args, anything));
      return true;
    } catch (error) {
      if (error instanceof HerError && error.agentCode === 'disk-full') return false;
      throw error;
    }
  }

  async function endJob(attempt: string): Promise<void> {
    const { seen, job, state } = await known(attempt);
    if (job !== null && seen.health !== 'ended' && state?.is === 'active') await cancel(reader, job);
  }
}

/** Slurm's word that a job has ended; or a person's, who asked for its end where Slurm does not know it any more. */
function isOver({ seen, state }: Known): boolean {
  return state?.is === 'over' || (state?.is === 'unknown' && seen.stopped);
}

function healthOf(found: Known): AgentStatus['health'] {
  if (found.seen.health === 'ended') return 'ended';
  if (found.job === null) return 'absent';
  return isOver(found) ? 'lost' : 'running';
}

function unknownJob(attempt: string, job: string | null): HerError {
  return new HerError(
    'AGENT_UNREACHABLE',
    `Slurm knows no job ${job}, and the agent of ${attempt} left no end; if you know that it is over: her stop`,
  );
}

/** Seconds beyond its grace after which an agent that was told to stop counts as stuck. */
const stuck = 90;
const anything = z.object({}).loose();

/**
 * Never with `--state=PENDING`, to be sure that it has not begun: Slurm (22.05) then cancels all tasks of the array
 * that wait, not the one that was named.
 */
async function cancel({ runner }: Node, job: string): Promise<void> {
  const { exitCode, stderr } = await runner.run(['scancel', job]);
  if (exitCode !== 0 && !/invalid job id|already/i.test(stderr))
    throw new HerError('AGENT_UNREACHABLE', `Slurm does not answer scancel: ${stderr.trim()}`);
}

/** What the agent answers where Slurm, or another submission, keeps it from knowing. */
const passing = ['slurm-unreachable', 'slurm-busy', 'running'];

export function heard<T>(answer: Promise<T>): Promise<T> {
  return askedAgain(answer, passing);
}

/** The id of the attempt that a node's own id belongs to. */
function mainOf(attempt: string, index: number): string {
  const end = `-n${index}`;
  return index > 0 && attempt.endsWith(end) ? attempt.slice(0, -end.length) : attempt;
}
