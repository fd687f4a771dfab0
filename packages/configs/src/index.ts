export type { JobCost, MemoryCost } from './cost/job-cost.ts';
export { costKey, planCosts } from './cost/plan-cost.ts';
export { type DifferenceGroup, diffStudies, type StudyDiff } from './diff/diff.ts';
export type { Difference } from './diff/difference.ts';
export { digestOf, stableJson } from './digest.ts';
export {
  formatProblem,
  InvalidStudyError,
  type Place,
  type StudyProblem,
  type StudyProblemCode,
} from './errors.ts';
export type { Judgement } from './estimate/verdict.ts';
export { type Explanation, explain } from './explain/explain.ts';
export { type JobValue, optionInJobs, wordInJobs } from './explain/in-study.ts';
export type { OptionFacts, OptionVariant } from './explain/option-facts.ts';
export type { WordFacts } from './explain/word-facts.ts';
export {
  ImportError,
  type ImportNote,
  type ImportReading,
  importConfig,
  importScript,
  type TrainerCommand,
  withLauncherFile,
} from './import/index.ts';
export type { LeftOver } from './import/stage/draft.ts';
export { type ImportedStudy, importStudy, withConfig } from './import/stage/import-study.ts';
export { importedText } from './import/stage/write-study.ts';
export { describeStudy } from './kit/describe.ts';
export { type KitDescription, kitSchema, type StudyDescription } from './kit/description.ts';
export { type KitFiles, type KitMaterials, renderKit } from './kit/render-kit.ts';
export { type LoadedStudy, loadStudy, type StudyWorld } from './load/load.ts';
export type { StudyArm } from './load/study-arm.ts';
export type { PlanHashes } from './plan/hashes.ts';
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
  Site,
  TrainerEnvironment,
} from './plan/job.ts';
export { planStudy } from './plan/plan.ts';
export { deriveSeed } from './seeds/derive.ts';
export type { Reproducibility, SeedRow } from './seeds/table.ts';
export type { CodeSpec } from './study/code-schema.ts';
export type { Question } from './study/file-schema.ts';
export { studyJsonSchemaText } from './study/json-schema.ts';
export type { Notify } from './study/notify-schema.ts';
export type { Origin } from './study/origins.ts';
export { openQuestions } from './study/questions.ts';
export type { Study } from './study/schema.ts';
export type { SecretSource } from './study/secret-schema.ts';
export type { Setting } from './study/settings.ts';
export type { StageKind } from './study/stage-schemas.ts';
export type { StoreSpec } from './study/store-schema.ts';
export { type Machine, machineOf, type Target as TargetSpec } from './study/target-schema.ts';
