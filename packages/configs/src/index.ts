export {
  formatProblem,
  InvalidStudyError,
  type Place,
  type StudyProblem,
  type StudyProblemCode,
} from './errors.ts';
export { type LoadedStudy, loadStudy, type StudyArm, type StudyWorld } from './load/load.ts';
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
export type { Origin } from './study/origins.ts';
export { openQuestions } from './study/questions.ts';
export type { Study } from './study/schema.ts';
export type { Setting } from './study/settings.ts';
export type { StageKind } from './study/stage-schemas.ts';
