import type { JobDescription, StudyDescription } from '../kit/description.ts';
import { onlyArm } from '../study/variants.ts';
import { aspects, type Difference, jobDifferences } from './difference.ts';

/** Differences that the same jobs have. */
export type DifferenceGroup = {
  /** The jobs in words: `sft (2 jobs)`. */
  jobs: string;
  names: string[];
  differences: Difference[];
};

export type StudyDiff = {
  same: boolean;
  onlyA: string[];
  onlyB: string[];
  /** Whether our own node-side code is another one. */
  code: boolean;
  groups: DifferenceGroup[];
};

/** What two studies do differently, by setting. Equal differences of many jobs are said once. */
export function diffStudies(a: StudyDescription, b: StudyDescription): StudyDiff {
  const jobsB = byKey(b, a);
  const jobsA = byKey(a, b);
  const shared = [...jobsA].flatMap(([key, job]) => {
    const other = jobsB.get(key);
    return other === undefined ? [] : [{ job, differences: jobDifferences(job, inTermsOf(other, jobsB)) }];
  });
  const onlyA = [...jobsA].flatMap(([key, { name }]) => (jobsB.has(key) ? [] : [name]));
  const onlyB = [...jobsB].flatMap(([key, { name }]) => (jobsA.has(key) ? [] : [name]));
  const groups = grouped(shared, a.jobs);
  const code = a.code !== b.code;
  return { same: onlyA.length + onlyB.length + groups.length === 0 && !code, onlyA, onlyB, code, groups };

  /** Inputs name jobs, whose names may differ where one study has arms. */
  function inTermsOf(job: JobDescription, keys: ReadonlyMap<string, JobDescription>): JobDescription {
    const nameIn = (name: string): string => {
      const key = [...keys].find(([, candidate]) => candidate.name === name)?.[0];
      return (key === undefined ? undefined : jobsA.get(key)?.name) ?? name;
    };
    const inputs = job.inputs.map(({ name, from }) => ({
      name,
      from: from.kind === 'output' ? { ...from, job: nameIn(from.job) } : from,
    }));
    return { ...job, inputs };
  }
}

/** Jobs by stage, arm and seed. Against a study without arms, the first arm is the one that is compared. */
function byKey(study: StudyDescription, other: StudyDescription): Map<string, JobDescription> {
  const plain = ({ jobs }: StudyDescription): boolean => jobs.every(({ arm }) => arm === onlyArm);
  const baseline = plain(other) && !plain(study) ? study.jobs[0]?.arm : undefined;
  return new Map(
    study.jobs.map((job) => {
      const arm = job.arm === baseline ? onlyArm : job.arm;
      return [JSON.stringify([job.stage, arm, job.seed]), job];
    }),
  );
}

type Compared = { job: JobDescription; differences: Difference[] };

function grouped(shared: readonly Compared[], all: readonly JobDescription[]): DifferenceGroup[] {
  const byDifference = new Map<string, { difference: Difference; jobs: JobDescription[] }>();
  for (const { job, differences } of shared)
    for (const difference of differences) {
      const { aspect, name, a, b } = difference;
      const key = JSON.stringify([aspect, name, a, b, difference.origins]);
      const found = byDifference.get(key) ?? { difference, jobs: [] };
      found.jobs.push(job);
      byDifference.set(key, found);
    }
  const byJobs = new Map<string, DifferenceGroup>();
  for (const { difference, jobs } of byDifference.values()) {
    const names = jobs.map(({ name }) => name);
    const group = byJobs.get(names.join(' ')) ?? { jobs: inWords(jobs, all), names, differences: [] };
    group.differences.push(difference);
    byJobs.set(names.join(' '), group);
  }
  const groups = [...byJobs.values()];
  for (const { differences } of groups)
    differences.sort((x, y) => aspects.indexOf(x.aspect) - aspects.indexOf(y.aspect));
  return groups.sort((x, y) => y.names.length - x.names.length);
}

/** Whole stages by their names, else the jobs. */
function inWords(jobs: readonly JobDescription[], all: readonly JobDescription[]): string {
  const stages = [...new Set(jobs.map(({ stage }) => stage))];
  const whole = all.filter(({ stage }) => stages.includes(stage)).length === jobs.length;
  if (jobs.length === 1 || !whole) return jobs.map(({ name }) => name).join(', ');
  return `${stages.join(', ')} (${jobs.length} jobs)`;
}
