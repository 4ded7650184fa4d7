import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { Observable } from 'rxjs';
import { newId } from '../delivery/index.js';
import {
  checkDuration,
  checkInteger,
  checkKeys,
  ClosedError,
  InvalidOptionError,
} from '../errors/index.js';
import { checkName, pickOptions, settled } from '../redis/index.js';
import type { StreamConsumed } from './consumed.js';
import { Deliverer } from './deliverer.js';
import { DeliveryPump, type PumpTarget } from './delivery-pump.js';
import { StreamSource, type SourceTerms } from './stream.source.js';
import { StreamUpkeep } from './stream-upkeep.js';
import { openCore, STANDALONE_NAMES, type StreamsCore } from './streams.core.js';
import {
  checkQueues,
  resolveStreamsOptions,
  STREAMS_OPTION_NAMES,
  type StreamReadOptions,
  type StreamConsumerOptions,
} from './streams.options.js';

const OWN_OPTIONS = ['queues', 'prefetch'] as const;
const MAX_PREFETCH = 10_000;
/** Without a server a stop gives up after so long; leases bring back what it held. */
const STOP_LIMIT_MS = 2_000;

/**
 * Reads one queue or several as a member of a consumer group.
 *
 * At least once: an entry that is not settled within the lease goes to another consumer of the
 * group. What its holder keeps for longer, it extends. An entry that this consumer holds unsettled
 * does not come to it again while it lives: only others of the group take it over. While it reads, it also moves due delayed
 * messages onto the stream and trims what every group has settled.
 */
export class StreamConsumer {
  /** Its name in the group, unique to this consumer. */
  readonly name = `${hostname()}-${process.pid}-${newId()}`;
  readonly group: string;
  readonly queues: readonly string[];
  private readonly core: StreamsCore;
  private readonly terms: SourceTerms;
  private readonly stopper = new AbortController();
  private source: StreamSource | undefined;
  private stopping: Promise<void> | undefined;

  /**
   * @param core shared within a transport; left out by applications.
   * @throws InvalidOptionError naming the option; nothing is opened before the first delivery.
   */
  constructor(options: StreamConsumerOptions, core?: StreamsCore) {
    checkKeys('options', options, [...STANDALONE_NAMES, ...STREAMS_OPTION_NAMES, ...OWN_OPTIONS]);
    this.queues = queuesOf(options);
    this.core = core ?? openAlone(options);
    this.terms = termsOf(options, { core: this.core, queues: this.queues, consumer: this.name });
    this.group = this.terms.group;
    setMaxListeners(0, this.stopper.signal); // one an iterator or subscriber, no leak
  }

  /** False after a connection or time-out error, true after the next success. */
  get connected(): boolean {
    return this.core.connection.connected && this.source?.isFailing !== true;
  }

  /** Whether `stop` was called. */
  get isStopped(): boolean {
    return this.stopping !== undefined;
  }

  /**
   * The deliveries, one after the other, until `stop`. Never throws for a server that is away: it
   * goes on when it is back. To leave the loop gives back what was taken ahead.
   *
   * @throws UnsupportedServerError below Redis 6.2; ClosedError after `stop`.
   */
  async *deliveries(): AsyncGenerator<StreamConsumed, void, void> {
    const deliverer = this.begin();
    const ahead: StreamConsumed[] = [];
    try {
      while (!this.stopper.signal.aborted && !deliverer.isClosed) {
        ahead.push(...(await deliverer.next(this.terms.slots, this.stopper.signal)));
        while (ahead.length > 0 && !this.stopper.signal.aborted)
          yield ahead.shift() as StreamConsumed;
      }
    } finally {
      await deliverer.giveBack(ahead);
    }
  }

  /**
   * The same as an Observable: as many as `prefetch` are out at a time, and each that is settled
   * makes room for the next, as does one whose lease ran out. It completes after `stop`.
   */
  observe(): Observable<StreamConsumed> {
    return new Observable((subscriber) => {
      const stop = new AbortController();
      const end = () => stop.abort();
      this.stopper.signal.addEventListener('abort', end);
      this.pumpTo(subscriber, stop.signal)
        .then(
          () => subscriber.complete(),
          (error: unknown) => subscriber.error(error),
        )
        .finally(() => this.stopper.signal.removeEventListener('abort', end));
      return end;
    });
  }

  /**
   * Takes no more: ends the deliveries within `blockMs` (later where a call to a dead server has to
   * run out of time first), gives back what was not handed out, and
   * removes its name from the group if nothing is pending for it. What was handed out may still be
   * settled. Safe to call twice.
   */
  stop(): Promise<void> {
    return (this.stopping ??= this.stopOnce());
  }

  /** Stops, and closes what this consumer opened; a client that was handed over stays open. */
  async close(): Promise<void> {
    await this.stop();
    await this.source?.leave().catch(() => undefined); // swept later
    if (this.core.ownsConnection) await this.core.connection.close();
  }

  private begin(): Deliverer {
    if (this.stopping !== undefined) throw new ClosedError(`the consumer ${this.name}`);
    if (this.source === undefined) {
      this.source = new StreamSource(this.core, this.terms);
      this.core.running.add(this);
      for (const task of this.upkeep()) this.core.upkeep.join(task);
    }
    return new Deliverer(this.source, this.core.logger, this.core.settings.blockMs);
  }

  private async stopOnce(): Promise<void> {
    this.stopper.abort();
    if (this.source === undefined) return;
    this.core.running.delete(this);
    const leaving = this.upkeep().map(({ name }) => this.core.upkeep.leave(name));
    const closing = this.source.close().catch((error: Error) => {
      this.core.logger.warn(`streams: the consumer ${this.name} did not leave: ${error.message}`);
    });
    await settled(Promise.all([...leaving, closing]), STOP_LIMIT_MS);
  }

  private upkeep(): StreamUpkeep[] {
    return this.queues.map((queue) => new StreamUpkeep(this.core, queue, [this.group]));
  }

  private async pumpTo(target: PumpTarget, signal: AbortSignal): Promise<void> {
    await new DeliveryPump(this.begin(), this.terms.slots, signal).run(target);
  }
}

function queuesOf({ queue, queues }: StreamConsumerOptions): readonly string[] {
  if (queue !== undefined && queues !== undefined) {
    throw new InvalidOptionError('queues', 'give either queue or queues');
  }
  if (queues !== undefined) return checkQueues(queues);
  return [checkName('queue', queue === undefined ? 'default' : queue)];
}

function openAlone(options: StreamConsumerOptions): StreamsCore {
  const settings = resolveStreamsOptions(pickOptions(options, STREAMS_OPTION_NAMES), '');
  return openCore(options, settings, 'StreamConsumer');
}

/** What a consumer says of itself comes before what holds for the engine. */
function termsOf(
  options: StreamReadOptions,
  { core, queues, consumer }: { core: StreamsCore } & Pick<SourceTerms, 'queues' | 'consumer'>,
): SourceTerms {
  const { settings } = core;
  const { group = settings.group, leaseMs = settings.leaseMs, prefetch = 1 } = options;
  const { maxDeliveries = settings.maxDeliveries } = options;
  return {
    queues,
    consumer,
    group: checkName('group', group),
    leaseMs: checkDuration('leaseMs', leaseMs),
    maxDeliveries:
      maxDeliveries === null ? 0 : checkInteger('maxDeliveries', maxDeliveries, { min: 1 }),
    maxAttempts: 0,
    slots: checkInteger('prefetch', prefetch, { min: 1, max: MAX_PREFETCH }),
  };
}
