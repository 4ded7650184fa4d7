/** A message of a broker queue. */
export interface BrokerMessage<Body = string> {
  /** 63-bit nanoseconds, rising in the namespace; 19 digits where it stands as text. */
  readonly id: bigint;
  /** The queue it was taken from, an alias resolved. */
  readonly queue: string;
  /** As it was written; the raw text where `unreadable` says so. */
  readonly body: Body;
  /** Why the codec cannot read the body; `null` without a codec and when it can. */
  readonly unreadable: Error | null;
}

/** A body as it is stored, written and answered. */
export interface StoredRow {
  readonly id: bigint;
  readonly body: Buffer;
}

/**
 * Where a message stands in its queue; a postponed one is pending again once it is due, and one whose
 * handler fell silent once its lease is over.
 */
export type MessageState = 'pending' | 'postponed' | 'reserved' | 'claimed';

/** A message as `peek` shows it. */
export interface PeekedBrokerMessage<Body = string> extends BrokerMessage<Body> {
  readonly state: MessageState;
}

/** How many messages one queue has. */
export interface QueueStats {
  readonly queue: string;
  /** Not read yet, postponed and reserved ones among them. */
  readonly pending: number;
  /** Given back by a handler with a delay that is not over; nobody holds them. */
  readonly postponed: number;
  /** Held by an open batch or a handler. */
  readonly reserved: number;
  /** Read, until a vacuum deletes them. */
  readonly claimed: number;
  /** Given up by handlers. */
  readonly dead: number;
  /** Pending and claimed. */
  readonly total: number;
  /** Whether the namespace lists the queue, be it for claimed messages only. */
  readonly exists: boolean;
}

/** How many messages a namespace has. */
export interface NamespaceStats {
  readonly queues: number;
  readonly pending: number;
  readonly claimed: number;
  readonly dead: number;
  readonly total: number;
}

/** Ids in order of time, or the other way round. */
export type MessageOrder = 'oldest' | 'newest';

/**
 * What a batch of `readAll` and `moveAll` promises.
 *
 * 'exactly-once' commits each message before it is handed out: one that the process loses is lost.
 * 'at-least-once' reserves a batch and commits it when its last message was taken and more is
 * asked for: a batch that was dropped comes again whole.
 */
export type DeliveryGuarantee = 'exactly-once' | 'at-least-once';

/** Strict bounds of ids: they themselves are not among the messages. */
export interface IdBounds {
  /** Only messages after this id. */
  readonly after?: bigint | string;
  /** Only messages before this id. */
  readonly before?: bigint | string;
}

/** Which one message: an exact id, or the first within the bounds. */
export interface OneSelector extends IdBounds {
  /** Exactly this message; excludes `after`, `before` and `order`. */
  readonly id?: bigint | string;
  /** @default 'oldest' */
  readonly order?: MessageOrder;
}

/** Which messages, at most `limit`. */
export interface ManySelector extends IdBounds {
  /** 1 to 10,000; an answer of about 16 MiB may be shorter. */
  readonly limit: number;
  /** @default 'oldest' */
  readonly order?: MessageOrder;
}

/** How a generator goes through a queue, oldest first. */
export interface AllSelector extends IdBounds {
  /** @default 'exactly-once' */
  readonly guarantee?: DeliveryGuarantee;
  /** How many messages one batch reserves, 1 to 10,000. @default 100 */
  readonly batchSize?: number;
}
