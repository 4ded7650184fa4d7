import { checkKeys } from '../errors/index.js';
import type { NewRow } from './broker.backend.js';
import { checkId, INSERTABLE } from './ids.js';
import { checkBodies, checkItems } from './lists.js';
import { checkQueueReference } from './queue-name.js';

/** A message with an id of the caller's. */
export interface InsertedMessage<Body = string> {
  readonly queue: string;
  /** Above 0, below 2^63 - 1, and free; raises the high-water mark where it is higher. */
  readonly id: bigint | string;
  readonly body: Body;
}

/** @throws InvalidOptionError naming the option; QueueNameError; MessageError */
export function checkInserted<Body>(
  messages: readonly InsertedMessage<Body>[],
  encode: (body: unknown) => string | Buffer,
): (NewRow & { readonly id: bigint })[] {
  const rows = checkItems('messages', messages).map((message, at) => {
    const { queue, id, body } = checkKeys(`messages[${at}]`, message, ['queue', 'id', 'body']);
    return {
      queue: checkQueueReference(queue),
      id: checkId('id', id, INSERTABLE),
      body: encode(body),
    };
  });
  checkBodies('messages', rows);
  return rows;
}
