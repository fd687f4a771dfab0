import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StartRequest } from '../../agent/protocol.ts';
import type { Submitted } from './agent-replies.ts';

/** One attempt as it is submitted: the requests of its nodes, without what may not reach a disk. */
export type Submission = { attempt: string; token: string; requests: StartRequest[]; awaits: string[] };

/** Hands a batch to Slurm; an attempt without a job in the reply was not submitted, since others of it were before. */
export type Submit = (name: string, tasks: readonly Submission[]) => Promise<Submitted>;

export type Job = { job: string; state: Submitted['state']; agent: string | null };

/** Milliseconds in which starts gather into one array. */
const gather = 400;
/** Far below what Slurm lets an array have where nobody configured it. */
const most = 100;

type Waiting = { task: Submission; resolve: (job: Job) => void; reject: (error: unknown) => void };

/** Gathers the starts of a while, and submits those of equal size as one array: seeds, mostly. */
export function openSubmissions(submit: Submit): { add(task: Submission): Promise<Job> } {
  let waiting: Waiting[] = [];

  const release = async (): Promise<void> => {
    await sleep(gather);
    const taken = waiting;
    waiting = [];
    const bySize = Map.groupBy(taken, ({ task }) => task.requests.length);
    for (const group of bySize.values())
      for (let from = 0; from < group.length; from += most) await send(group.slice(from, from + most));
  };

  const send = async (group: readonly Waiting[]): Promise<void> => {
    const tasks = group.map(({ task }) => task);
    try {
      const reply = await submit(batchName(tasks), tasks);
      for (const one of group) {
        const job = reply.tasks.find(({ attempt }) => attempt === one.task.attempt)?.job ?? null;
        if (job !== null) one.resolve({ job, state: reply.state, agent: reply.agent });
        // A former `her` had submitted others of this group and not this one: it goes by itself.
        else if (group.length > 1) await send([one]);
        else one.reject(new TypeError(`the agent did not say which job ${one.task.attempt} has`));
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };

  return {
    add: (task) =>
      new Promise<Job>((resolve, reject) => {
        waiting.push({ task, resolve, reject });
        if (waiting.length === 1) void release();
      }),
  };
}

/** The same for the same attempts: a job of this name is theirs. */
export function batchName(tasks: readonly Pick<Submission, 'attempt' | 'token'>[]): string {
  const [first] = tasks;
  const digest = createHash('sha256');
  // The token too: another ledger may have the same job, and so an attempt of the same name, in the same queue.
  if (tasks.length === 1 && first !== undefined)
    return `her-${first.attempt}-${digest.update(first.token).digest('hex').slice(0, 6)}`;
  for (const { attempt, token } of tasks) digest.update(`${attempt}\0${token}\0`);
  return `her-${digest.digest('hex').slice(0, 16)}-x${tasks.length}`;
}
