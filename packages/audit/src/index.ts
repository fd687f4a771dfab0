export type { SeedFinding, SeedStatus } from './findings.ts';
export type { FormerJob } from './former.ts';
export type { PlannedJob } from './planned-job.ts';
export { type AuditedJob, auditSeeds, type JobProgress, type SeedAudit, type Verdict } from './seed-audit.ts';
