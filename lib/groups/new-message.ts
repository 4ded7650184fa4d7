import { checkInteger, checkKeys } from '../errors/index.js';
import { newId, checkHeaders, encodePayload } from '../delivery/index.js';
import { checkName, encodeName } from '../redis/index.js';
import type { NewMessage } from './group-message.js';
import type { GroupsSettings } from './groups.options.js';
import { TOP_TIER } from './tiers.js';

/** A message ready for the publish script: checked and serialised once, before anything is sent. */
export interface EncodedMessage {
  readonly id: string;
  /** Encoded. */
  readonly group: string;
  readonly tier: number;
  /** JSON text, '' when there are none. */
  readonly headers: string;
  readonly payload: string | Buffer;
}

const KNOWN = ['group', 'payload', 'priority', 'headers'] as const;

/**
 * Checks a message and makes the arguments of its publish.
 *
 * @throws InvalidOptionError naming the field; PayloadError for a payload that cannot be stored.
 */
export function encodeMessage(message: NewMessage, settings: GroupsSettings): EncodedMessage {
  checkKeys('message', message, KNOWN);
  const { priority = 0 } = message;
  return {
    id: newId(),
    group: encodeGroup(message.group),
    tier: Math.min(TOP_TIER, Math.max(0, checkInteger('priority', priority))),
    headers: checkHeaders('headers', message.headers),
    payload: encodePayload(settings.codec, message.payload, { maxBytes: settings.maxPayloadBytes }),
  };
}

/** A group's name as Lua knows it; throws `InvalidOptionError` when it is none. */
export function encodeGroup(group: unknown): string {
  return encodeName(checkName('group', group));
}
