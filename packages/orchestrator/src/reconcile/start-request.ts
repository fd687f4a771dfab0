import { basename } from 'node:path';
import type { Job, Plan } from '@her/configs';
import { agentProtocol, type StartRequest } from '../agent/protocol.ts';
import type { Target } from '../targets/target.ts';
import type { ResumePoint } from './decide.ts';
import { jobOf } from './decide.ts';
import { type StudyState, succeeded } from './state.ts';

/** What the agent is asked to start: the job's files as planned, its inputs where they lie on this target. */
export function startRequest(options: {
  plan: Plan;
  state: StudyState;
  target: Target;
  job: Job;
  attempt: string;
  token: string;
  resume: ResumePoint | null;
  locate: (path: string) => string;
}): StartRequest {
  const { plan, state, target, job, resume } = options;
  const checkpoint = resume === null ? '' : basename(resume.path);
  const resumeArgs =
    resume === null
      ? []
      : (job.resume?.argv ?? []).map((word) => word.replaceAll('{checkpoint}', checkpoint));
  const inputs: StartRequest['inputs'] = job.inputs.flatMap(({ name, from }) => {
    // The trainer fetches it itself, by the id in its file.
    if (from.kind === 'hub') return [];
    if (from.kind === 'path') return [{ name, path: options.locate(from.path), digest: from.digest }];
    const made = outputOf(plan, state, from.job, from.output);
    return [{ name, path: target.attemptPath(made.attempt, made.path), digest: made.digest }];
  });
  if (resume !== null) {
    inputs.push({
      name: `resume/${checkpoint}`,
      path: target.attemptPath(resume.attempt, resume.path),
      digest: resume.digest,
    });
  }
  return {
    protocol: agentProtocol,
    attempt: options.attempt,
    token: options.token,
    job: { id: job.id, name: job.name },
    files: job.files,
    inputs,
    ranks: [{ argv: mergeArgs(job.argv, resumeArgs) }],
    env: { ...target.baseEnv(job.environment), ...job.env },
    secrets: {},
    metrics: job.metrics,
    checkpoints: job.checkpoints,
    seeds: { format: job.seedRecord },
    outputs: job.outputs,
    limits: {
      firstStepSeconds: job.limits.firstStep,
      silenceSeconds: job.limits.silence,
      graceSeconds: job.limits.grace,
      heartbeatSeconds: 5,
    },
  };
}

/** Hydra refuses a key twice; an override for resuming takes the place of the planned one. */
function mergeArgs(argv: readonly string[], more: readonly string[]): string[] {
  const keys = new Set(
    more.filter((word) => !word.startsWith('-') && word.includes('=')).map((word) => word.split('=')[0]),
  );
  return [...argv.filter((word) => !keys.has(word.split('=')[0]) || !word.includes('=')), ...more];
}

function outputOf(
  plan: Plan,
  state: StudyState,
  jobId: Job['id'],
  output: string,
): { attempt: string; path: string; digest: string } {
  const attempt = state.jobs.get(jobId)?.attempts.find(succeeded);
  const made = attempt?.outputs.find((candidate) => candidate.name === output);
  if (attempt === undefined || made === undefined) {
    throw new TypeError(`${jobOf(plan, jobId).name} has not made ${output}; its readers must wait`);
  }
  return { attempt: attempt.id, path: made.path, digest: made.digest };
}
