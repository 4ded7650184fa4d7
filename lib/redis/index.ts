export { BlockingReader } from './blocking-reader.js';
export type { BlockingCommand } from './blocking-link.js';
export type { CallOptions, EmbeddedScript } from './calls.js';
export { bytes, flag, integer, list, text, type Codec, type ScriptArgument } from './codecs.js';
export { RedisConnection } from './connection.js';
export { ConnectionPool, type PoolLimits } from './connection-pool.js';
export {
  checkConnection,
  CONNECTION_DEFAULTS,
  type ConnectionOptions,
  type ConnectionSettings,
} from './connection.options.js';
export { Doorbell, type DoorbellRequest } from './doorbell.js';
export { checkPrefix, DEFAULT_PREFIX, KeySpace } from './key-space.js';
export { settled } from './link.js';
export { checkName, decodeName, encodeName } from './names.js';
export { asBuffer, asInteger, asList, asText, asTextOrNull } from './replies.js';
export { pause } from './retry-budget.js';
export {
  defineScript,
  definedScripts,
  type Script,
  type ScriptDefinition,
  type ScriptRunner,
} from './script.js';
export type { Subscription } from './subscriber.js';
export {
  openStandalone,
  pickOptions,
  STANDALONE_OPTIONS,
  type StandaloneOptions,
} from './standalone.js';
