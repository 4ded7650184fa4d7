export type { GroupAuditFinding } from './audit.js';
export * from './group-message.js';
export { GroupDeadLetters } from './group.dead-letters.js';
export { GroupTopic, type GroupsTyping } from './group.topic.js';
export {
  createGroupsEngine,
  GroupsEngine,
  type GroupsEngineParts,
  type GroupsTarget,
} from './groups.engine.js';
export {
  GROUPS_DEFAULTS,
  type GroupsOptions,
  type GroupsSettings,
  type GroupTransportOptions,
} from './groups.options.js';
export {
  checkGroupsProcessor,
  GROUPS_PROCESSOR_SETTINGS,
  type GroupsProcessorSettings,
} from './groups.processor.js';
export { GroupTransport } from './groups.transport.js';
export type { TierOptions } from './tiers.js';
