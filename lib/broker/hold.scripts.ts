import {
  asBuffer,
  asInteger,
  asList,
  asText,
  defineScript,
  integer,
  list,
  text,
} from '../redis/index.js';
import { readId } from './ids.js';

export const settleScript = defineScript({
  name: 'broker/settle',
  args: {
    queue: text,
    limit: integer,
    leaseMs: integer,
    attempts: integer,
    keepDead: integer,
    outcomes: list(text),
  },
  reply: (raw) => {
    const [codes, firstFence, taken, nextInMs] = asList(raw);
    const fence = Number(asText(firstFence));
    const flat = asList(taken);
    const starts = flat.map((_, at) => at).filter((at) => at % 3 === 0);
    return {
      codes: asList(codes) as number[],
      nextInMs: asInteger(nextInMs),
      rows: starts.map((at) => ({
        id: readId(asText(flat[at])),
        body: asBuffer(flat[at + 1]),
        attempt: asInteger(flat[at + 2]),
        fence: fence + at / 3,
      })),
    };
  },
});

export const extendScript = defineScript({
  name: 'broker/extend',
  args: { queue: text, leaseMs: integer, holds: list(text) },
  reply: (raw) => asList(raw).map((code) => code === 1),
  idempotent: true,
});

export const upkeepScript = defineScript({
  name: 'broker/upkeep',
  args: { queue: text, limit: integer, keepDead: integer, keepDeadMs: integer },
  reply: (raw) => {
    const [isFull, nextInMs] = asList(raw).map(asInteger);
    return { isFull: isFull === 1, nextInMs };
  },
  idempotent: true,
});

export const deadLettersScript = defineScript({
  name: 'broker/dead-list',
  args: { queue: text, offset: integer, limit: integer },
  reply: (raw) =>
    asList(raw).map((one) => {
      const [id, body, attempts, deadAt, reason] = asList(one);
      return {
        id: readId(asText(id)),
        body: asBuffer(body),
        attempts: asInteger(attempts),
        deadAt: asInteger(deadAt),
        reason: asText(reason),
      };
    }),
  idempotent: true,
});

export const endDeadLetterScript = defineScript({
  name: 'broker/dead-end',
  args: { verb: text, queue: text, id: text },
  reply: (raw) => asInteger(raw) === 1,
});
