import type { Job, JobId, Plan } from '@her/configs';
import type { EntryBody } from '@her/ledger';
import { chain } from '../reconcile/testing.ts';

/** Hosts and how many agents each has. */
export type FleetSize = { hosts: number; each: number };

/** An attempt that runs on a host for as long as the measurement takes. */
export type Member = { host: string; job: Job; attempt: string };

/** A plan of one job an agent, without any that wait for others. */
export function fleetOf({ hosts, each }: FleetSize): { plan: Plan; hosts: string[]; members: Member[] } {
  const base = chain();
  const template = base.jobs[1];
  if (template === undefined) throw new TypeError('no job to copy');
  const members = Array.from({ length: hosts * each }, (_, i): Member => {
    const id = i.toString(16).padStart(16, '0') as JobId;
    const job = { ...template, id, name: `sft/${i}`, stage: 'sft', seed: i, needs: [] };
    return { host: `h${Math.floor(i / each) + 1}`, job, attempt: `${id}-1` };
  });
  return {
    plan: { ...base, study: 'bench', jobs: members.map(({ job }) => job) },
    hosts: [...new Set(members.map(({ host }) => host))],
    members,
  };
}

/** What the ledger holds of attempts that were started before: the loop attaches to them. */
export function startedEntries(members: readonly Member[]): EntryBody[] {
  return members.flatMap(({ host, job, attempt }): EntryBody[] => {
    const head = { study: 'bench', job: job.id, attempt, token: attempt };
    const process = { pid: 1, bootId: null, agent: null };
    return [
      { kind: 'decision', ...head, action: 'start', why: 'measured', nodes: [host] },
      { kind: 'attempt.started', ...head, target: 'bench', node: host, ...process, resumedFrom: null },
    ];
  });
}
