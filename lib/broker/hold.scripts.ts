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
import { asId } from './ids.js';
import { rowsOf } from './row.replies.js';

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
    return {
      codes: asList(codes) as number[],
      nextInMs: asInteger(nextInMs),
      rows: rowsOf(asList(taken), 3).map(([id, body, attempt], at) => ({
        id: asId(id),
        body: asBuffer(body),
        attempt: asInteger(attempt),
        fence: fence + at,
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

export const recoverScript = defineScript({
  name: 'broker/recover',
  args: { cursor: text, limit: integer },
  reply: (raw) => {
    const [cursor, isDone, held] = asList(raw);
    return { cursor: asText(cursor), isDone: isDone === 1, held: asInteger(held) };
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
        id: asId(id),
        body: asBuffer(body),
        attempts: asInteger(attempts),
        deadAt: asInteger(deadAt),
        reason: asText(reason),
      };
    }),
  readsOnly: true,
});

export const endDeadLetterScript = defineScript({
  name: 'broker/dead-end',
  args: { verb: text, queue: text, id: text },
  reply: (raw) => asInteger(raw) === 1,
});
