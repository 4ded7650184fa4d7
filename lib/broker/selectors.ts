import {
  checkBoolean,
  checkInteger,
  checkKeys,
  checkOneOf,
  InvalidOptionError,
} from '../errors/index.js';
import { checkId } from './ids.js';
import type { DeliveryGuarantee, MessageOrder } from './message.js';

/** The most rows of one call, so that it does not hold the server for long. */
export const MAX_ROWS = 10_000;

const ORDERS: readonly MessageOrder[] = ['oldest', 'newest'];
const GUARANTEES: readonly DeliveryGuarantee[] = ['exactly-once', 'at-least-once'];

/** Which rows are wanted, checked. */
export interface Selection {
  readonly exact: bigint | null;
  readonly after: bigint | null;
  readonly before: bigint | null;
  readonly order: MessageOrder;
  readonly limit: number;
}

/** How a generator runs, checked. */
export interface StreamTerms extends Selection {
  readonly guarantee: DeliveryGuarantee;
}

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
export function checkAll(options: unknown, batchSize: number): StreamTerms {
  const given = checkKeys('options', options, ['guarantee', 'batchSize', 'after', 'before']);
  const { guarantee = 'exactly-once', batchSize: limit = batchSize } = given;
  return {
    exact: null,
    ...boundsOf(given),
    order: 'oldest',
    limit: checkInteger('batchSize', limit, { min: 1, max: MAX_ROWS }),
    guarantee: checkOneOf('guarantee', guarantee, GUARANTEES),
  };
}

/** The bounds alone; a bound that is there and undefined is an error, never 'all'. */
export function boundsOf(given: Readonly<Record<string, unknown>>): {
  readonly after: bigint | null;
  readonly before: bigint | null;
} {
  return { after: optionalId(given, 'after'), before: optionalId(given, 'before') };
}

/** A switch of a verb. @throws InvalidOptionError naming it */
export function switchOf(options: object, name: string, fallback: boolean): boolean {
  const value = (options as Readonly<Record<string, unknown>>)[name];
  return value === undefined ? fallback : checkBoolean(name, value);
}

function optionalId(given: Readonly<Record<string, unknown>>, name: string): bigint | null {
  return name in given ? checkId(name, given[name]) : null;
}

function orderOf({ order = 'oldest' }: Readonly<Record<string, unknown>>): MessageOrder {
  return checkOneOf('order', order, ORDERS);
}
