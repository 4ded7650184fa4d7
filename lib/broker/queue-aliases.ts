import { checkKeys, InvalidOptionError } from '../errors/index.js';
import type { BrokerCore } from './broker.core.js';
import { checkQueueName, checkQueueReference } from './queue-name.js';

/** One alias. */
export interface QueueAlias {
  /** Without its `@`. */
  readonly alias: string;
  /** The queue's own name. */
  readonly target: string;
}

/**
 * Other names of queues, used with an `@` in front. They are flat: an alias never leads to another
 * alias, in whatever order they are made.
 */
export class QueueAliases {
  /** Made by `QueueBroker`. */
  constructor(private readonly core: BrokerCore) {}

  /**
   * Makes `@alias` stand for a queue, which need not exist. An existing queue of the alias's name
   * is still reached by its plain name; a warning says so.
   *
   * @throws AliasError when it exists, or when the aliases would not stay flat; QueueNameError
   */
  async add(alias: string, target: string): Promise<void> {
    if (checkQueueName(alias, 'an alias') === checkQueueName(target)) {
      throw new InvalidOptionError('target', 'is the alias itself');
    }
    this.core.assertOpen();
    const { shadowsQueue } = await this.core.backend.addAlias(alias, target);
    if (!shadowsQueue) return;
    this.core.logger.warn(`there is a queue ${alias} beside the alias @${alias} of ${target}`);
  }

  /** Removes an alias; messages stay where they are. `false` when there was none. */
  async remove(alias: string): Promise<boolean> {
    checkQueueName(alias, 'an alias');
    this.core.assertOpen();
    return this.core.backend.removeAlias(alias);
  }

  /** All aliases by name, or those of one target. */
  async list(options: { readonly target?: string } = {}): Promise<QueueAlias[]> {
    const given = checkKeys('options', options, ['target']);
    const wanted = 'target' in given ? checkQueueName(given.target) : null;
    this.core.assertOpen();
    return [...(await this.core.backend.aliases())]
      .map(([alias, target]) => ({ alias, target }))
      .filter(({ target }) => wanted === null || target === wanted)
      .sort((one, other) => (one.alias < other.alias ? -1 : 1));
  }

  /** The queue that a name stands for: `@alias` its target, a plain name itself. @throws AliasError */
  async resolve(name: string): Promise<string> {
    checkQueueReference(name);
    this.core.assertOpen();
    return this.core.resolve(name);
  }

  /** Grows with every change of the aliases, and with every `remove`, also of one that is not there. */
  async version(): Promise<number> {
    this.core.assertOpen();
    return (await this.core.backend.meta()).aliasVersion;
  }
}
