import { digestOf } from '../digest.ts';
import { armStages, type OwnedStage } from '../load/arm-stages.ts';
import type { LoadedStudy } from '../load/load.ts';
import type { StudyArm } from '../load/study-arm.ts';
import { stageContext } from '../stages/contexts.ts';
import { renderStage } from '../stages/render.ts';
import type { Stage } from '../study/stage-schemas.ts';
import { machineOf } from '../study/target-schema.ts';
import { onlyArm } from '../study/variants.ts';
import type { PlanHashes } from './hashes.ts';
import type { Job, JobId, Plan, Site } from './job.ts';
import { jobInputs } from './job-inputs.ts';

/** The jobs of a study. The same study and the same hashes give the same plan, byte for byte. */
export function planStudy(loaded: LoadedStudy, hashes: PlanHashes): Plan {
  const jobs: Job[] = [];
  for (const owned of armStages(loaded.arms)) {
    const stage = owned.arm.study.stages[owned.stageName];
    if (stage === undefined) continue;
    const seeds = stage.kind === 'prepare' ? [null] : owned.arm.study.seeds;
    for (const seed of seeds) jobs.push(planJob({ owned, stage, seed, jobs, hashes }));
  }
  refuseSharedIds(jobs);
  const studies = loaded.arms.map(({ arm, stages, study }) => ({ arm, stages, study }));
  return {
    study: loaded.study.name,
    digest: digestOf({ studies, questions: loaded.questions, jobs: jobs.map((job) => job.id) }),
    primary: primaryOf(loaded.study),
    target: loaded.target,
    jobs,
    ...siteOf(loaded.study),
  };
}

function siteOf({ target, secrets, checkpoints, notify, code }: LoadedStudy['study']): Site {
  return { runsOn: target, secrets, store: checkpoints ?? null, notify, code: code ?? null };
}

type JobContext = {
  owned: OwnedStage;
  stage: Stage;
  seed: number | null;
  jobs: readonly Job[];
  hashes: PlanHashes;
};

function planJob(context: JobContext): Job {
  const { owned, stage, seed, hashes } = context;
  const { arm, stageName } = owned;
  const inputs = jobInputs({ ...context, study: arm.study });
  const asked = stageContext(arm.study, arm.told, { stageName, stage, seed });
  const { code: modules, ...render } = renderStage(asked);
  const code = modules.map((module) => [module, hashes.code(module)]);
  const trainer = arm.study.trainers[render.environment === 'verl' ? 'verl' : 'ms-swift'];
  const { files, argv, env, resume, gang } = render;
  const identity = { stage: stageName, arm: arm.arm, kind: stage.kind, trainer };
  const id = digestOf({ rule: 'her/job/v3', ...identity, files, argv, env, resume, gang, inputs, code });
  return {
    ...render,
    id: id.slice(0, 16) as JobId,
    name: nameOf(arm, stageName, seed),
    stage: stageName,
    kind: stage.kind,
    arm: arm.arm,
    seed,
    needs: [...new Set(inputs.flatMap(({ from }) => (from.kind === 'output' ? [from.job] : [])))],
    inputs,
    resources: {
      ...resourcesOf(stage, machineOf(arm.study.target)),
      nodes: asked.machine.nodes,
      gpus: asked.machine.gpusPerNode,
    },
    limits: {
      firstStep: stage.limits.first_step ?? 1800,
      silence: stage.limits.silence ?? 1800,
      grace: stage.limits.grace ?? 30,
    },
  };
}

/** A job with GPUs has its nodes alone. */
function resourcesOf(
  { kind, needs }: Stage,
  machine: ReturnType<typeof machineOf>,
): { cores: number; memoryGb: number } {
  const alone = machine.gpusPerNode > 0 && kind !== 'prepare' && kind !== 'evaluate';
  return alone
    ? { cores: machine.coresPerNode, memoryGb: machine.memoryGbPerNode }
    : { cores: needs.cores, memoryGb: needs.memory_gb };
}

/** `sft/11`; with arms `sft/full/11`. */
function nameOf({ arm }: StudyArm, stageName: string, seed: number | null): string {
  return [stageName, ...(arm === onlyArm ? [] : [arm]), ...(seed === null ? [] : [seed])].join('/');
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

function primaryOf({ measure }: StudyArm['study']): string | null {
  const primary = measure?.primary;
  return primary === undefined ? null : `${primary.metric} of ${primary.of}, ${primary.direction}`;
}
