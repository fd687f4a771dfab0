import type { Job, JobId, Plan, Site } from '@her/configs';
import type { Entry, EntryBody } from '@her/ledger';
import { emptyState, fold, type StudyState } from './state.ts';

/** This machine, and nothing beside it. */
export const here: Site = {
  runsOn: { kind: 'local', device: 'cpu', cores: 2, memory_gb: 12 },
  secrets: {},
  store: null,
  notify: [],
  code: null,
};

/** A plan of three jobs in a row, for tests of the pure parts. */
export function chain(): Plan {
  const names = ['prepare', 'sft/11', 'rl/11'];
  const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(16) as JobId);
  const jobs = names.map((name, i) => job(name, ids[i] ?? ids[0], i === 0 ? [] : [ids[i - 1] ?? ids[0]]));
  return { study: 'test', digest: '0'.repeat(64), primary: null, target: 'target', jobs, ...here };
}

function job(name: string, id: JobId | undefined, needs: (JobId | undefined)[]): Job {
  const [stage = name, seed] = name.split('/');
  return {
    id: id as JobId,
    name,
    stage,
    kind: stage === 'rl' ? 'rl' : stage === 'sft' ? 'sft' : 'prepare',
    arm: 'main',
    seed: seed === undefined ? null : Number(seed),
    needs: needs.filter((need) => need !== undefined),
    environment: 'swift',
    files: {},
    inputs: [],
    argv: ['true'],
    env: {},
    gang: null,
    metrics: [],
    checkpoints: { format: 'swift', path: 'out', worldSize: 1 },
    seedRecord: 'swift',
    outputs: [],
    resume:
      stage === 'prepare'
        ? null
        : {
            argv: ['--resume_from_checkpoint', 'inputs/resume/{checkpoint}'],
            format: 'swift',
            path: 'inputs/resume',
          },
    seeds: [],
    reproducibility: { level: 'bitwise', why: '' },
    settings: {},
    resources: { cores: 1, memoryGb: 4, nodes: 1, gpus: 0 },
    limits: { firstStep: 60, silence: 60, grace: 5 },
    steps: null,
  };
}

/** Folds bodies as if they had been appended one after another. */
export function stateOf(bodies: readonly EntryBody[]): StudyState {
  const state = emptyState();
  for (const [i, body] of bodies.entries()) fold(state, asEntry(body, i));
  return state;
}

export function asEntry(body: EntryBody, i: number): Entry {
  return { v: 1, i, time: new Date(Date.UTC(2026, 0, 1, 0, 0, i)).toISOString(), ...body } as Entry;
}

/** The entries of one attempt from its decision on. */
export function attemptEntries(
  jobId: string,
  number: number,
  end?: { code: number | null; reason: string; class?: 'stopped'; policy?: 'retry' | 'stop' },
): EntryBody[] {
  const attempt = `${jobId}-${number}`;
  const head = { study: 'test', job: jobId, attempt };
  const node = { ...head, node: 'local' };
  const bodies: EntryBody[] = [
    {
      kind: 'decision',
      ...head,
      action: number === 1 ? 'start' : 'resume',
      token: 't',
      why: 'test',
      nodes: ['local'],
    },
    {
      kind: 'attempt.started',
      ...head,
      target: 'local',
      node: 'local',
      token: 't',
      pid: 1,
      bootId: 'b',
      agent: null,
      resumedFrom: null,
    },
    { kind: 'metric', ...node, seq: 2, from: 'swift', step: 1, maxSteps: 9, values: { loss: 2 } },
    {
      kind: 'checkpoint.saved',
      ...node,
      seq: 3,
      step: 4 * number,
      path: `out/checkpoint-${4 * number}`,
      digest: 'd'.repeat(64),
      files: [],
    },
  ];
  if (end === undefined) return bodies;
  const { code, reason } = end;
  const failed = code === 0 ? {} : { policy: end.policy ?? 'retry' };
  return [
    ...bodies,
    {
      kind: 'attempt.ended',
      ...node,
      seq: 4,
      code,
      signal: null,
      reason,
      class: code === 0 ? null : (end.class ?? 'unknown'),
      cause: code === 0 ? null : 'a test',
      remedy: null,
      tailBlob: null,
      lastStep: 5,
      ...failed,
    },
  ];
}
