export {
  formatProblem,
  InvalidStudyError,
  type Place,
  type StudyProblem,
  type StudyProblemCode,
} from './errors.ts';
export { digestOf, stableJson } from './plan/digest.ts';
export type {
  InputSource,
  Job,
  JobId,
  JobInput,
  JobLimits,
  JobOutput,
  MetricSource,
  Plan,
  ResumeRule,
  TrainerEnvironment,
} from './plan/job.ts';
export { type PlanHashes, planStudy } from './plan/plan.ts';
export { deriveSeed } from './seeds/derive.ts';
export type { Reproducibility, SeedRow } from './seeds/table.ts';
export { loadStudy, type StudyWorld } from './study/load.ts';
export type { Study } from './study/schema.ts';
export type { Origin, Setting } from './study/settings.ts';
export type { StageKind } from './study/stage-schemas.ts';
