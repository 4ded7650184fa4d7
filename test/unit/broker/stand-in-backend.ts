import {
  BROKER_API_VERSION,
  QueueBroker,
  type BrokerBackend,
  type BrokerOptions,
} from '../../../lib/broker/index.js';
import { RecordingLogger } from '../../contract/logs.js';

/** A backend with these primitives only, for what a real server cannot be made to do in time. */
export function backendWith(primitives: Partial<BrokerBackend>): BrokerBackend {
  const backend: Partial<BrokerBackend> = {
    name: 'a stand-in',
    apiVersion: BROKER_API_VERSION,
    connected: true,
    write: () => Promise.resolve(1n),
    staleBatches: () => Promise.resolve([]),
    close: () => Promise.resolve(),
    ...primitives,
  };
  return backend as BrokerBackend;
}

/** A broker on such a backend, and its log. */
export function brokerOn(primitives: Partial<BrokerBackend>, options: BrokerOptions = {}) {
  const logger = new RecordingLogger();
  const backend = backendWith(primitives);
  const broker = new QueueBroker<unknown>({ backend, logger, ...options });
  return { broker, logger };
}
