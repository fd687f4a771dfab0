import { createHash } from 'node:crypto';
import { digestOf } from '../digest.ts';
import type { LoadedStudy } from '../load/load.ts';
import type { StudyArm } from '../load/study-arm.ts';
import type { Job, JobInput, Plan } from '../plan/job.ts';
import type { DescribedInput, JobDescription, StudyDescription } from './description.ts';
import { jobFolders } from './job-folders.ts';
import { settingsOf } from './own-settings.ts';

/** @param workers the source of our own node-side code, by path */
export function describeStudy(
  loaded: LoadedStudy,
  plan: Plan,
  workers: Record<string, string>,
): StudyDescription {
  const names = new Map(plan.jobs.map(({ id, name }) => [id, name]));
  const folders = jobFolders(plan.jobs);
  const jobs = plan.jobs.map((job): JobDescription => {
    const arm = loaded.arms.find((candidate) => candidate.arm === job.arm);
    if (arm === undefined) throw new TypeError(`${job.name} is of no arm of the study`);
    return {
      ...pick(job),
      folder: folders.get(job.id) ?? '',
      needs: job.needs.map((id) => names.get(id) ?? id),
      trainer: trainerOf(job, arm),
      inputs: job.inputs.map((input) => describeInput(input, names)),
      resumable: job.resume !== null && job.checkpoints !== null,
      reproducibility: job.reproducibility.level,
      settings: settingsOf(job, arm),
      files: Object.fromEntries(Object.entries(job.files).map(([name, text]) => [name, sha256(text)])),
    };
  });
  return { study: plan.study, target: plan.target, code: digestOf(workers), jobs };
}

function pick(job: Job) {
  const { name, id, stage, kind, arm, seed, environment, steps, outputs, env, seeds, resources } = job;
  const { nodes, gpus: gpusPerNode, cores, memoryGb } = resources;
  const size = { nodes, gpusPerNode, cores, memoryGb };
  return { name, id, stage, kind, arm, seed, environment, ...size, steps, outputs, env, seeds };
}

function describeInput({ name, from }: JobInput, names: ReadonlyMap<string, string>): DescribedInput {
  if (from.kind !== 'output') return { name, from };
  return { name, from: { ...from, job: names.get(from.job) ?? from.job } };
}

function trainerOf({ environment }: Job, { study }: StudyArm): string {
  const name = environment === 'verl' ? 'verl' : 'ms-swift';
  return [name, study.trainers[name]].filter((word) => word !== undefined).join(' ');
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
