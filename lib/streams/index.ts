export { StreamConsumed, type StreamRejectOptions } from './consumed.js';
export type { StreamDeadLetter } from './letter.js';
export { StreamConsumer } from './stream.consumer.js';
export type { StreamDeadLetters } from './stream.dead-letters.js';
export type {
  NewStreamPayload,
  NewStreamMessage,
  StreamPublishOptions,
  StreamBody,
  StreamMessage,
} from './stream.message.js';
export { StreamProducer } from './stream.producer.js';
export { StreamQueue, type StreamsTyping } from './stream.queue.js';
export type { StreamGroupStats, StreamHealth, StreamStats } from './stream.stats.js';
export { StreamTransport } from './stream.transport.js';
export {
  createStreamsEngine,
  StreamsEngine,
  type StreamsEngineParts,
  type StreamsTarget,
} from './streams.engine.js';
export {
  STREAMS_DEFAULTS,
  type StreamReadOptions,
  type StreamConsumerOptions,
  type StreamProducerOptions,
  type StreamsOptions,
  type StreamsSettings,
  type StreamsStandalone,
  type StreamTransportOptions,
} from './streams.options.js';
export {
  checkStreamsProcessor,
  STREAMS_PROCESSOR_SETTINGS,
  type StreamsProcessorSettings,
} from './streams.processor.js';
