export type { AuditFinding } from './audit.js';
export * from './job.js';
export * from './job.queue.js';
export { JobDriver } from './jobs.driver.js';
export {
  JobsEngine,
  createJobsEngine,
  type JobsEngineParts,
  type JobsTarget,
} from './jobs.engine.js';
export {
  JOBS_DEFAULTS,
  type JobDriverOptions,
  type JobsOptions,
  type JobsSettings,
} from './jobs.options.js';
