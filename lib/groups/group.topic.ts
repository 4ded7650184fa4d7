import type {
  GroupMessage,
  GroupState,
  GroupStats,
  NewMessage,
  PeekedMessage,
  PublishOutcome,
  PublishResult,
  RateLimit,
} from './group-message.js';
import type { GroupDeadLetters } from './group.dead-letters.js';
import type { GroupTransport } from './groups.transport.js';

/** What a queue definition of the groups engine is typed by: the payload of its messages. */
export interface GroupsTyping<Payload> {
  /** What handlers receive; messages have no types, so there is no name to give to `@Process`. */
  readonly messages: { readonly [anyMessage]: GroupMessage<Payload> };
  /** What `@InjectQueue` injects. */
  readonly handle: GroupTopic<Payload>;
}

declare const anyMessage: unique symbol;

/**
 * One topic of the groups engine, typed by its payload: what `@InjectQueue(definition)` injects.
 *
 * A thin layer over `GroupTransport`, which has the verbs of a worker too.
 */
export class GroupTopic<Payload = unknown> {
  constructor(
    /** The topic's name. */
    readonly name: string,
    private readonly transport: GroupTransport,
  ) {}

  /** What was given up: list, count, redrive (to the tail of its group), drop. */
  get deadLetters(): GroupDeadLetters {
    return this.transport.deadLetters;
  }

  /**
   * Appends a message to its group.
   *
   * @throws InvalidOptionError, PayloadError before anything is written; OperationalError when
   * Redis did not answer well.
   */
  publish(message: NewMessage<Payload>): Promise<PublishResult> {
    return this.transport.publish(message);
  }

  /** Appends many messages in order; answers what became of each, in their order. */
  publishMany(messages: readonly NewMessage<Payload>[]): Promise<PublishOutcome[]> {
    return this.transport.publishMany(messages);
  }

  /** The messages of a group from its head on (10 unless told otherwise), without claiming them. */
  peek(
    group: string,
    page?: { readonly limit?: number; readonly offset?: number },
  ): Promise<PeekedMessage<Payload>[]> {
    return this.transport.peek<Payload>(group, page);
  }

  /** How many messages a group holds, or without a name the whole topic. */
  depth(group?: string): Promise<number> {
    return this.transport.depth(group);
  }

  /** Everything about one group; `null` when it holds no message. */
  inspect(group: string): Promise<GroupState | null> {
    return this.transport.inspect(group);
  }

  /** The topic in numbers. */
  stats(): Promise<GroupStats> {
    return this.transport.stats();
  }

  /** Removes one message, wherever it stands; a lease that is about it ends. */
  remove(group: string, id: string): Promise<boolean> {
    return this.transport.remove(group, id);
  }

  /** Deletes all messages of a group and voids the lease on it; answers how many there were. */
  purge(group: string): Promise<number> {
    return this.transport.purge(group);
  }

  /** Stops deliveries of a group, or of the topic, everywhere until `resume`; what runs goes on. */
  pause(group?: string): Promise<void> {
    return this.transport.pause(group);
  }

  /** Ends a `pause`. */
  resume(group?: string): Promise<void> {
    return this.transport.resume(group);
  }

  /** Lets at most `max` messages of a group begin within `durationMs`; `null`: no limit. */
  limit(group: string, rate: RateLimit | null): Promise<void> {
    return this.transport.limit(group, rate);
  }

  /** The same for every group without a limit of its own; those that wait for it are looked at anew. */
  limitEach(rate: RateLimit | null): Promise<void> {
    return this.transport.limitEach(rate);
  }
}
