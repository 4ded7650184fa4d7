/**
 * What a handler receives, whatever the engine.
 *
 * Engines extend it (a job has a priority, a group message its group), never narrow it.
 */
export interface Message<Payload = unknown> {
  /** The message's id: text, never a number, since broker ids do not fit one. */
  readonly id: string;
  /** The queue (topic, stream) it came from. */
  readonly queue: string;
  /** What kind of message it is: the job type; empty on engines without types. */
  readonly name: string;
  /** What the producer handed over, decoded by the queue's codec. */
  readonly payload: Payload;
  /** Text pairs that travel beside the payload, for example a trace id. */
  readonly headers: Readonly<Record<string, string>>;
  /** Which run this is: 1 for the first. A run that a crash cut short counts. */
  readonly attempt: number;
  /** When the server took it in, in epoch milliseconds of the Redis clock. */
  readonly enqueuedAt: number;
}
