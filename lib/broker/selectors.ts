import {
  checkBoolean,
  checkInteger,
  checkKeys,
  checkOneOf,
  InvalidOptionError,
} from '../errors/index.js';
import { checkId } from './ids.js';
import type { DeliveryGuarantee, MessageOrder } from './message.js';
import { checkQueueReference } from './queue-name.js';

/** The most rows of one call, so that it does not hold the server for long. */
export const MAX_ROWS = 10_000;

const ORDERS: readonly MessageOrder[] = ['oldest', 'newest'];
const GUARANTEES: readonly DeliveryGuarantee[] = ['exactly-once', 'at-least-once'];

/** Between which ids, strictly, how many rows are wanted; checked. */
export interface Bounds {
  readonly after: bigint | null;
  readonly before: bigint | null;
  readonly limit: number;
}

/** Which rows are wanted, checked. */
export interface Selection extends Bounds {
  /** Excludes the bounds. */
  readonly exact: bigint | null;
  readonly order: MessageOrder;
}

/** How a generator runs, checked. */
export interface EachTerms extends Bounds {
  readonly guarantee: DeliveryGuarantee;
}

/** The oldest row of all. */
export const OLDEST: Selection = Object.freeze({
  exact: null,
  after: null,
  before: null,
  order: 'oldest',
  limit: 1,
});

/** @throws InvalidOptionError naming the option, before storage is touched */
export function checkOne(options: unknown, more: readonly string[] = []): Selection {
  const given = checkKeys('options', options, ['id', 'after', 'before', 'order', ...more]);
  const exact = optionalId(given, 'id');
  const strange = ['after', 'before', 'order'].find((name) => name in given);
  if (exact !== null && strange !== undefined) {
    throw new InvalidOptionError(strange, 'an exact id excludes it');
  }
  return { exact, ...boundsOf(given), order: orderOf(given), limit: 1 };
}

/** @throws InvalidOptionError naming the option, before storage is touched */
export function checkMany(options: unknown, more: readonly string[] = []): Selection {
  const given = checkKeys('options', options, ['limit', 'after', 'before', 'order', ...more]);
  const limit = checkInteger('limit', given.limit, { min: 1, max: MAX_ROWS });
  return { exact: null, ...boundsOf(given), order: orderOf(given), limit };
}

/** @throws InvalidOptionError naming the option, before storage is touched */
export function checkAll(options: unknown, batchSize: number): EachTerms {
  const given = checkKeys('options', options, ['guarantee', 'batchSize', 'after', 'before']);
  const { guarantee = 'exactly-once', batchSize: limit = batchSize } = given;
  return {
    ...boundsOf(given),
    limit: checkInteger('batchSize', limit, { min: 1, max: MAX_ROWS }),
    guarantee: checkOneOf('guarantee', guarantee, GUARANTEES),
  };
}

/** The bounds alone; a bound that is there and undefined is an error, never 'all'. */
export function boundsOf(given: Readonly<Record<string, unknown>>): Omit<Bounds, 'limit'> {
  return { after: optionalId(given, 'after'), before: optionalId(given, 'before') };
}

/** A switch of a verb. @throws InvalidOptionError naming it */
export function switchOf(options: object, name: string, fallback: boolean): boolean {
  const value = (options as Readonly<Record<string, unknown>>)[name];
  return value === undefined ? fallback : checkBoolean(name, value);
}

/** Where a move leads. @throws QueueNameError; InvalidOptionError when it is the queue itself */
export function checkTarget(target: unknown, queue: string): string {
  const name = checkQueueReference(target);
  if (name !== queue) return name;
  throw new InvalidOptionError('target', 'is the queue itself');
}

function optionalId(given: Readonly<Record<string, unknown>>, name: string): bigint | null {
  return name in given ? checkId(name, given[name]) : null;
}

function orderOf({ order = 'oldest' }: Readonly<Record<string, unknown>>): MessageOrder {
  return checkOneOf('order', order, ORDERS);
}
