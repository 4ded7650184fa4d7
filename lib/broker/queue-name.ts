import { InvalidOptionError, QueueNameError } from '../errors/index.js';
import { checkItems } from './lists.js';

/** Longest name of a queue or an alias. */
const MAX_NAME = 512;
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
const PREFIX = /^[A-Za-z0-9_.-]+$/;
const NAMESPACE = /^[A-Za-z0-9_.-]{1,128}$/;
/** Stands before an alias; a name without it is literal. */
const ALIAS_MARK = '@';

/**
 * A queue's own name: letters, digits, `_`, `.` and `-`, the first no dot or hyphen, at most 512.
 *
 * @throws QueueNameError
 */
export function checkQueueName(value: unknown, what = 'a queue name'): string {
  if (typeof value === 'string' && value.length <= MAX_NAME && NAME.test(value)) return value;
  throw new QueueNameError(
    `${shown(value)} is not ${what}: expected 1 to ${MAX_NAME} letters, digits, "_", "." or "-", ` +
      'beginning with a letter, a digit or "_"',
  );
}

/**
 * A queue as verbs take it: its name, or `@alias`.
 *
 * @throws QueueNameError
 */
export function checkQueueReference(value: unknown): string {
  if (typeof value !== 'string' || !value.startsWith(ALIAS_MARK)) return checkQueueName(value);
  checkQueueName(value.slice(ALIAS_MARK.length), 'an alias');
  return value;
}

/** Names of queues for one step, checked and without repetitions. @throws QueueNameError, InvalidOptionError */
export function checkQueueNames(option: string, names: unknown): string[] {
  const list = checkItems(option, names as readonly unknown[]);
  return [...new Set(list.map((name) => checkQueueName(name)))];
}

/** The beginning of queue names; an empty one never means all. @throws QueueNameError */
export function checkNamePrefix(value: unknown): string {
  if (typeof value === 'string' && value.length <= MAX_NAME && PREFIX.test(value)) return value;
  throw new QueueNameError(`${shown(value)} is not the beginning of a queue name`);
}

/** The name of a namespace, 1 to 128 letters, digits, `_`, `.` and `-`. @throws InvalidOptionError */
export function checkNamespace(option: string, value: unknown): string {
  if (typeof value === 'string' && NAMESPACE.test(value)) return value;
  throw new InvalidOptionError(option, 'expected 1 to 128 letters, digits, "_", "." or "-"');
}

function shown(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, 60))
    : `a value of type ${typeof value}`;
}
