import { hostname } from 'node:os';
import { Logger } from '@nestjs/common';
import { newId } from '../delivery/index.js';
import type {
  DeliverySource,
  Engine,
  HandlerLogger,
  LoopTarget,
  UpkeepTask,
} from '../contract/index.js';
import { checkInteger } from '../errors/index.js';
import { checkName, checkPrefix, type RedisConnection } from '../redis/index.js';
import { StreamSource } from './stream.source.js';
import type { StreamDeadLetters } from './stream.dead-letters.js';
import type { StreamHealth } from './stream.stats.js';
import { StreamTransport } from './stream.transport.js';
import { StreamUpkeep } from './stream-upkeep.js';
import { SharedUpkeep } from './shared-upkeep.js';
import type { StreamsCore } from './streams.core.js';
import { checkQueues, resolveStreamsOptions, type StreamsOptions } from './streams.options.js';

/** What a claim loop asks of streams. */
export interface StreamsTarget extends LoopTarget {
  /** All the queues that the loop reads; `queue` alone without it. */
  readonly queues?: readonly string[];
  /** @default the engine's group */
  readonly group?: string;
  /**
   * Take-overs of an entry before it is dead-lettered. Where neither the loop nor the engine names
   * a limit, a message that spent all attempts in lost runs is dead-lettered.
   */
  readonly maxDeliveries?: number;
}

/** The streams engine as claim loops and the module see it. */
export class StreamsEngine implements Engine<'streams', StreamsTarget> {
  readonly name = 'streams';
  private readonly transports = new Map<string, StreamTransport>();
  /** The groups that have a source in this process, by queue. */
  private readonly groups = new Map<string, Set<string>>();

  constructor(
    private readonly core: StreamsCore,
    private readonly driver: StreamTransport,
  ) {}

  source(target: StreamsTarget): DeliverySource {
    const { group = this.core.settings.group, slots, leaseMs, attempts } = target;
    for (const queue of queuesOf(target)) {
      this.groups.set(queue, (this.groups.get(queue) ?? new Set()).add(checkName('group', group)));
    }
    const limit = target.maxDeliveries ?? this.core.settings.maxDeliveries;
    return new StreamSource(this.core, {
      queues: queuesOf(target),
      group,
      consumer: `${hostname()}-${process.pid}-${newId()}`,
      slots,
      leaseMs,
      maxDeliveries: limit === null ? 0 : checkInteger('maxDeliveries', limit, { min: 1 }),
      maxAttempts: limit === null ? attempts : 0,
    });
  }

  /** One task a queue, the same work for every loop on it. */
  upkeep(target: StreamsTarget): readonly UpkeepTask[] {
    return queuesOf(target).map(
      (queue) => new StreamUpkeep(this.core, queue, this.groups.get(queue) ?? []),
    );
  }

  deadLetters(queue: string): StreamDeadLetters {
    return this.transport(queue).deadLetters;
  }

  health(queue: string): Promise<StreamHealth> {
    return this.transport(queue).health();
  }

  private transport(queue: string): StreamTransport {
    let transport = this.transports.get(queue);
    if (transport === undefined) this.transports.set(queue, (transport = this.driver.queue(queue)));
    return transport;
  }
}

/** What the module gives the engine. */
export interface StreamsEngineParts {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly logger?: HandlerLogger;
  readonly options?: StreamsOptions;
}

/**
 * Makes engine and transport over a connection that its maker closes; upkeep is the maker's too.
 *
 * @throws InvalidOptionError naming the option, with `streams.` in front.
 */
export function createStreamsEngine(parts: StreamsEngineParts): {
  engine: StreamsEngine;
  driver: StreamTransport;
  /** Stops the consumers that applications made of the driver and read by hand. */
  stop: () => Promise<void>;
} {
  const { logger = new Logger('StreamsEngine') } = parts;
  const core: StreamsCore = {
    connection: parts.connection,
    prefix: checkPrefix('prefix', parts.prefix),
    settings: resolveStreamsOptions(parts.options),
    logger,
    upkeep: new SharedUpkeep(logger),
    running: new Set(),
    ownsConnection: false,
  };
  const driver = new StreamTransport({}, core);
  const stop = async () => {
    await Promise.all([...core.running].map((consumer) => consumer.stop()));
  };
  return { engine: new StreamsEngine(core, driver), driver, stop };
}

function queuesOf({ queue, queues }: StreamsTarget): readonly string[] {
  return checkQueues(queues ?? [queue]);
}
