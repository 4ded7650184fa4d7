export { codesInOrder } from './codes.js';
export { Exchange, type ExchangePort, type ExchangeReply } from './exchange.js';
export { Gatherer, type GathererPort } from './gatherer.js';
export { checkHeaders, NO_HEADERS, parseHeaders, type Headers } from './headers.js';
export { HeldDelivery, type Ending } from './held-delivery.js';
export {
  checkCodec,
  decodePayload,
  encodePayload,
  isWellFormed,
  JSON_CODEC,
  readPayload,
  type PayloadCodec,
  type PayloadLimit,
  type ReadPayload,
} from './payload-codec.js';
export { newId } from './ids.js';
export { OpenCalls, type CallName } from './open-calls.js';
export { allOrPartial } from './partial.js';
export {
  checkRetention,
  KEEP_FAILURES,
  type Retention,
  type RetentionLimits,
} from './retention.js';
