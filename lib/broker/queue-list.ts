import { checkKeys, InvalidOptionError } from '../errors/index.js';
import type { BrokerCore } from './broker.core.js';
import { fnmatch } from './fnmatch.js';
import type { QueueStats } from './message.js';
import { checkNamePrefix } from './queue-name.js';
import { checkPattern, type ListQueuesOptions } from './verb.options.js';

/** The queues that there are now, by name. @throws InvalidOptionError, QueueNameError */
export async function listQueues(
  core: BrokerCore,
  options: ListQueuesOptions,
): Promise<QueueStats[]> {
  const isWanted = filterOf(options);
  core.assertOpen();
  const found: QueueStats[] = [];
  for await (const stats of core.backend.queues()) if (isWanted(stats.queue)) found.push(stats);
  return found.sort((one, other) => (one.queue < other.queue ? -1 : 1));
}

/** The names of the queues that match a pattern now. */
export async function matchingQueues(core: BrokerCore, pattern: string): Promise<string[]> {
  return (await listQueues(core, { pattern })).map(({ queue }) => queue);
}

function filterOf(options: ListQueuesOptions): (queue: string) => boolean {
  checkKeys('options', options, ['prefix', 'pattern']);
  if ('prefix' in options && 'pattern' in options) {
    throw new InvalidOptionError('pattern', 'give either prefix or pattern');
  }
  if ('pattern' in options) return fnmatch(checkPattern(options.pattern));
  const prefix = 'prefix' in options ? checkNamePrefix(options.prefix) : '';
  return (queue) => queue.startsWith(prefix);
}
