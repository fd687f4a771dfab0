export {
  auditSeeds,
  type PlannedJob,
  type SeedAudit,
  type SeedFinding,
  type SeedStatus,
} from './seed-audit.ts';
