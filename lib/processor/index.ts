export { type HandlerDecorator, Process } from './process.decorator.js';
export { checkProcessors, type ProcessorRules } from './processor.checks.js';
export { Processor, type ProcessorOptions } from './processor.decorator.js';
export { type FoundProcessor, ProcessorExplorer } from './processor.explorer.js';
export { type LoopPlan, type ProcessorHealth, ProcessorRunner } from './processor.runner.js';
export { type ProcessorSettings } from './processor.settings.js';
export {
  defineQueue,
  type QueueDefinition,
  type QueueDefinitionOptions,
  type QueueOf,
} from './queue.definition.js';
export {
  DEFAULT_INSTANCE,
  getEngineToken,
  getInstanceToken,
  getQueueServiceToken,
  getQueueToken,
  InjectQueue,
  type QueueReference,
  refer,
} from './queue.tokens.js';
