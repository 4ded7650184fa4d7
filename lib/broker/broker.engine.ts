import { Logger } from '@nestjs/common';
import type {
  DeliverySource,
  Engine,
  EngineHealth,
  HandlerLogger,
  LoopTarget,
  UpkeepTask,
} from '../contract/index.js';
import { checkPrefix, type RedisConnection } from '../redis/index.js';
import { BrokerCore } from './broker.core.js';
import { BrokerDeadLetters } from './broker.dead-letters.js';
import { resolveBrokerOptions, type BrokerOptions } from './broker.options.js';
import { BrokerSource } from './broker.source.js';
import { BrokerUpkeep } from './broker.upkeep.js';
import { QueueBroker } from './queue.broker.js';
import { writtenAt } from './ids.js';
import { checkQueueName } from './queue-name.js';
import { RedisBackend } from './redis.backend.js';

/** The broker engine as claim loops and the module see it; queues are named literally. */
export class BrokerEngine implements Engine<'broker'> {
  readonly name = 'broker';
  private readonly tasks = new Map<string, BrokerUpkeep>();

  constructor(private readonly core: BrokerCore) {}

  /** @throws QueueNameError for an alias too: a processor's queue is one and the same for ever */
  source({ queue, slots, leaseMs, attempts }: LoopTarget): DeliverySource {
    return new BrokerSource(this.core, { queue: checkQueueName(queue), slots, leaseMs, attempts });
  }

  /** One task a queue, the same for every loop on it. */
  upkeep({ queue }: LoopTarget): readonly UpkeepTask[] {
    const task = this.tasks.get(queue) ?? new BrokerUpkeep(this.core, checkQueueName(queue));
    this.tasks.set(queue, task);
    return [task];
  }

  deadLetters(queue: string): BrokerDeadLetters {
    return new BrokerDeadLetters(this.core, checkQueueName(queue));
  }

  /**
   * How long the oldest message waits is told by its id, which is the time of its writing; of a
   * message that was inserted or loaded with an id of its own it says nothing true.
   */
  async health(queue: string): Promise<EngineHealth> {
    const { backend } = this.core;
    const oldest = { queue: checkQueueName(queue), after: null, order: 'oldest' } as const;
    const [{ pending, postponed, reserved }, id] = await Promise.all([
      backend.stats(queue),
      backend.firstWaiting(oldest),
    ]);
    const waitingMs = id === null ? 0 : Date.now() - writtenAt(id);
    return {
      connected: backend.connected,
      waiting: pending - postponed - reserved,
      running: reserved,
      oldestWaitingMs: Math.max(0, waitingMs),
    };
  }
}

/** What the module gives the engine. */
export interface BrokerEngineParts {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly logger?: HandlerLogger;
  readonly options?: BrokerOptions;
}

/**
 * Makes engine and broker over a connection that its maker closes; upkeep is the maker's too.
 *
 * @throws InvalidOptionError naming the option, with `broker.` in front; ApiVersionError
 */
export function createBrokerEngine(parts: BrokerEngineParts): {
  engine: BrokerEngine;
  driver: QueueBroker;
  isConnected: () => boolean;
  /** Stops the watchers that applications started; waits for their handlers. */
  stop: () => Promise<void>;
  /** Ends background work and closes the backend, an extension too. */
  close: () => Promise<void>;
} {
  const { connection, logger = new Logger('QueueBroker') } = parts;
  const settings = resolveBrokerOptions(parts.options);
  const prefix = checkPrefix('prefix', parts.prefix);
  const backend =
    settings.backend ?? new RedisBackend({ connection, prefix, settings, ownsConnection: false });
  const core = new BrokerCore(backend, settings, logger);
  return {
    engine: new BrokerEngine(core),
    driver: new QueueBroker({}, core),
    isConnected: () => backend.connected,
    stop: () => core.stop(),
    close: () => core.close(),
  };
}
