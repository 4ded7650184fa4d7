export { PeriodicTask, type PeriodicTaskOptions, type UpkeepHealth } from './periodic-task.js';
export { Promoter } from './promoter.js';
