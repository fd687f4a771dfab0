import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Job } from '@her/configs';
import { memberId } from '../agent/members.ts';
import { agentProtocol, type GangPlace, type StartRequest } from '../agent/protocol.ts';
import type { Node } from '../targets/target.ts';
import type { PlacedInput } from './inputs.ts';
import type { AttemptState } from './state.ts';

export type RequestParts = {
  job: Job;
  attempt: AttemptState;
  /** Of the attempt, node 0 first. */
  nodes: readonly Node[];
  node: Node;
  /** Of node 0, as the others reach it. */
  address: string | null;
  /** What every rank of the node starts from. */
  env: Record<string, string>;
  inputs: readonly PlacedInput[];
  secrets: Record<string, string>;
  gangKey: string | null;
};

/** What the agent of one node is asked to start: the job's files as planned, its inputs where they lie there. */
export function startRequest(parts: RequestParts): StartRequest {
  const { job, attempt, node, nodes } = parts;
  const index = nodes.indexOf(node);
  const resume = attempt.decidedFrom;
  const checkpoint = resume === null ? '' : basename(resume.path);
  const resumeArgs =
    resume === null
      ? []
      : (job.resume?.argv ?? []).map((word) => word.replaceAll('{checkpoint}', checkpoint));
  // A gang writes into the folder of its node 0, which tells of all of it.
  const tells = index === 0;
  return {
    protocol: agentProtocol,
    attempt: memberId(attempt.id, index),
    token: attempt.token,
    job: { id: job.id, name: job.name },
    files: job.files,
    inputs: parts.inputs.map((input) => ({ ...input })),
    ranks: [{ argv: mergeArgs(job.argv, resumeArgs) }],
    env: { ...parts.env, ...job.env },
    secrets: parts.secrets,
    metrics: tells ? job.metrics : [],
    checkpoints: tells ? job.checkpoints : null,
    seeds: tells ? { format: job.seedRecord } : null,
    outputs: tells ? job.outputs : [],
    ...gangOf(parts, index),
    limits: {
      firstStepSeconds: job.limits.firstStep,
      silenceSeconds: job.limits.silence,
      graceSeconds: job.limits.grace,
      heartbeatSeconds: 5,
    },
  };
}

function gangOf(
  { job, attempt, nodes, address, gangKey }: RequestParts,
  index: number,
): Pick<StartRequest, 'gang' | 'gangKey'> {
  if (job.gang === null || nodes.length < 2) return {};
  const [linkPort, port] = portsOf(attempt.id);
  const gang: GangPlace = {
    index,
    size: nodes.length,
    main: attempt.id,
    address: address ?? '',
    linkPort,
    port,
    launcher: job.gang.launcher,
    gpusPerNode: job.gang.gpusPerNode,
    cores: job.resources.cores,
  };
  return { gang, gangKey };
}

/**
 * Two ports for one attempt, from 20000 to 29999: below those that Linux gives away by itself (ip_local_port_range),
 * and other ones for each attempt, so that two attempts on a node, or the next one, do not meet.
 */
export function portsOf(attempt: string): [number, number] {
  const number = createHash('sha256').update(attempt).digest().readUInt32BE(0);
  const first = 20_000 + 2 * (number % 5_000);
  return [first, first + 1];
}

/** Hydra refuses a key twice; an override for resuming takes the place of the planned one. */
function mergeArgs(argv: readonly string[], more: readonly string[]): string[] {
  const keys = new Set(
    more.filter((word) => !word.startsWith('-') && word.includes('=')).map((word) => word.split('=')[0]),
  );
  return [...argv.filter((word) => !keys.has(word.split('=')[0]) || !word.includes('=')), ...more];
}
