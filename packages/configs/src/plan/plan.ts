import { renderStage } from '../stages/render.ts';
import { stageBehind, stageOutputs } from '../study/references.ts';
import type { Study } from '../study/schema.ts';
import { orderStages } from '../study/stage-order.ts';
import type { Stage } from '../study/stage-schemas.ts';
import { digestOf } from './digest.ts';
import type { Job, JobId, JobInput, Plan } from './job.ts';

/** Hashes of what the plan does not hold itself. */
export type PlanHashes = {
  /** SHA-256 (hex) of the file or folder at a path of the study. */
  path(path: string): string;
  /** SHA-256 (hex) of the source of one of our own node-side modules. */
  code(module: string): string;
};

const mainArm = 'main';

/** The jobs of a study. The same study and the same hashes give the same plan, byte for byte. */
export function planStudy(study: Study, hashes: PlanHashes): Plan {
  const jobs: Job[] = [];
  for (const stageName of orderStages(study).order) {
    const stage = study.stages[stageName];
    if (stage === undefined) continue;
    const seeds = stage.kind === 'prepare' ? [null] : study.seeds;
    for (const seed of seeds) jobs.push(planJob({ study, stageName, stage, seed, jobs, hashes }));
  }
  refuseSharedIds(jobs);
  return {
    study: study.name,
    digest: digestOf({ study, jobs: jobs.map((job) => job.id) }),
    primary: primaryOf(study),
    jobs,
  };
}

type JobContext = {
  study: Study;
  stageName: string;
  stage: Stage;
  seed: number | null;
  jobs: readonly Job[];
  hashes: PlanHashes;
};

function planJob(context: JobContext): Job {
  const { study, stageName, stage, seed, hashes } = context;
  const inputs = jobInputs(context);
  const rendered = renderStage({ study, stageName, stage, seed });
  const code = rendered.code.map((module) => [module, hashes.code(module)]);
  const { code: _, ...render } = rendered;
  const trainer = study.trainers[render.environment === 'verl' ? 'verl' : 'ms-swift'];
  const { files, argv, env, resume } = render;
  const id = digestOf({
    rule: 'her/job/v2',
    stage: stageName,
    kind: stage.kind,
    trainer,
    files,
    argv,
    env,
    resume,
    inputs,
    code,
  }).slice(0, 16);
  return {
    ...render,
    id: id as JobId,
    name: seed === null ? stageName : `${stageName}/${seed}`,
    stage: stageName,
    kind: stage.kind,
    arm: mainArm,
    seed,
    needs: [...new Set(inputs.flatMap(({ from }) => (from.kind === 'output' ? [from.job] : [])))],
    inputs,
    resources: { cores: stage.needs.cores, memoryGb: stage.needs.memory_gb },
    limits: {
      firstStep: stage.limits.first_step ?? 1800,
      silence: stage.limits.silence ?? 1800,
      grace: stage.limits.grace ?? 30,
    },
  };
}

/**
 * An id stands for one job's attempts in the ledger: two jobs with one id would take each other's work for theirs.
 * @throws {TypeError} a mistake of the planner, not of the study
 */
export function refuseSharedIds(jobs: readonly Pick<Job, 'id' | 'name'>[]): void {
  const names = new Map<JobId, string>();
  for (const { id, name } of jobs) {
    const other = names.get(id);
    if (other !== undefined) throw new TypeError(`the jobs ${other} and ${name} got one id, ${id}`);
    names.set(id, name);
  }
}

/** What a job reads, as links under `inputs/`. */
function jobInputs(context: JobContext): JobInput[] {
  const { stage } = context;
  switch (stage.kind) {
    case 'prepare':
      return [];
    case 'sft':
      return [
        input(context, 'model', stage.model, 'model'),
        input(context, 'data.jsonl', stage.data, 'data'),
      ];
    case 'rl':
      return [
        input(context, 'model', stage.model, 'model'),
        input(context, 'prompts.parquet', stage.prompts, 'data'),
      ];
    case 'evaluate':
      return [
        ...stage.models.map((model) => input(context, `models/${model}`, model, 'model')),
        input(context, 'heldout.jsonl', stage.data, 'data'),
      ];
  }
}

function input(context: JobContext, name: string, wanted: string, to: 'model' | 'data'): JobInput {
  const { study, jobs, seed, hashes } = context;
  const declared = to === 'model' ? study.models[wanted] : study.data[wanted];
  if (declared?.path !== undefined) {
    return { name, from: { kind: 'path', path: declared.path, digest: hashes.path(declared.path) } };
  }
  const stageName = stageBehind(study, wanted, to);
  const output = declared?.output?.split('.')[1] ?? stageOutputs.sft[0];
  const job = jobs.find(
    (candidate) => candidate.stage === stageName && (candidate.seed === null || candidate.seed === seed),
  );
  if (job === undefined || output === undefined)
    throw new TypeError(`nothing makes ${wanted}; the study was not checked`);
  return { name, from: { kind: 'output', job: job.id, output } };
}

function primaryOf(study: Study): string | null {
  const primary = study.measure?.primary;
  return primary === undefined ? null : `${primary.metric} of ${primary.of}, ${primary.direction}`;
}
