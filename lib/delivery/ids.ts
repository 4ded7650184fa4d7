import { randomFillSync } from 'node:crypto';

/** Room in the id for the number of a later partition; one digit of base 36. */
const PARTITION_MARK = '0';
const TIME_DIGITS = 9;
const HALF_DIGITS = 5;
const HALF = 36 ** HALF_DIGITS;

const pool = new Uint32Array(512);
let poolIndex = pool.length;
let lastMs = 0;
let head = '';
let high = 0;
let low = 0;

/**
 * An id of 20 lower-case characters that sorts by time: 9 digits of milliseconds in base 36, one
 * for a partition, 10 that start at random every millisecond and count up within it.
 *
 * Ids of one process always ascend, also when its clock steps back. Made by the client before the
 * first send, so that a send can be repeated. The time is no more than a sorting aid: whatever
 * is due or leased goes by the server's clock.
 */
export function newId(): string {
  const now = Date.now();
  if (now > lastMs) startMillisecond(now);
  else if (++low === HALF) carry();
  return head + digits(high, HALF_DIGITS) + digits(low, HALF_DIGITS);
}

function startMillisecond(now: number): void {
  lastMs = now;
  head = digits(now, TIME_DIGITS) + PARTITION_MARK;
  high = random() % HALF;
  low = random() % HALF;
}

function carry(): void {
  low = 0;
  if (++high === HALF) startMillisecond(lastMs + 1);
}

function random(): number {
  if (poolIndex === pool.length) {
    randomFillSync(pool);
    poolIndex = 0;
  }
  return pool[poolIndex++];
}

function digits(value: number, length: number): string {
  return value.toString(36).padStart(length, '0');
}
