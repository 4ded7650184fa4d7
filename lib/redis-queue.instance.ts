import { Logger } from '@nestjs/common';
import type { HandlerLogger } from './contract/index.js';
import { ENGINE_NAMES, type EngineName, ENGINES, openEngine, type OpenEngine } from './engines.js';
import { type FoundProcessor, type LoopPlan, ProcessorRunner } from './processor/index.js';
import { type ConnectionSettings, RedisConnection, settled } from './redis/index.js';
import type { ResolvedOptions } from './redis-queue.options.js';
import { Promoter } from './upkeep/index.js';

type OpenEngines = { readonly [Name in EngineName]: OpenEngine<Name> };

/**
 * What one `forRoot` brings into being: a connection, the engines on it, and the loops and upkeep
 * of this process. Making it opens nothing; commands open the connection at their first use.
 */
export class RedisQueueInstance {
  readonly connection: RedisConnection;
  readonly engines: OpenEngines;
  readonly runner: ProcessorRunner;
  readonly promoter: Promoter;
  private readonly logger: HandlerLogger;
  private isStarted = false;

  /** @throws InvalidOptionError for a connection or an engine option that cannot work. */
  constructor(readonly options: ResolvedOptions) {
    this.logger = options.logger ?? new Logger('RedisQueue');
    this.connection = new RedisConnection(connectionSettings(options, this.logger));
    this.engines = this.openEngines();
    this.promoter = new Promoter({ logger: this.logger });
    this.runner = new ProcessorRunner({
      engines: byName((name) => this.engines[name].engine),
      settings: (name) => [options.processors, leaseOf(name, options)],
      logger: this.logger,
    });
  }

  /** Starts upkeep and the claim loops, or says why it does not. A second call does nothing. */
  start(found: readonly FoundProcessor[]): void {
    if (this.isStarted) return;
    this.isStarted = true;
    const plans = this.runner.plan(found);
    if (this.options.role === 'producer') {
      this.logger.log(`role producer: ${found.length} processor(s) and upkeep are not started`);
      return;
    }
    if (plans.length === 0 && this.options.role === 'worker') {
      this.logger.warn('role worker: there is no @Processor to start');
    }
    this.runner.open(plans);
    this.startUpkeep(plans);
    this.runner.start();
  }

  /** Stops claiming, and waits for what runs within `shutdownGraceMs`. */
  async drain(): Promise<void> {
    const { shutdownGraceMs } = this.options;
    const stopping = Promise.all(ENGINE_NAMES.map(async (name) => this.engines[name].stop?.()));
    // what an application reads by hand may never end
    const stopped = Promise.race([stopping, settled(stopping, shutdownGraceMs)]);
    await Promise.all([this.runner.drain(shutdownGraceMs), stopped]);
  }

  /** Ends upkeep; waits for the run in progress. */
  async stopUpkeep(): Promise<void> {
    await this.promoter.stop();
  }

  /** Closes every connection, a borrowed client too unless `closeBorrowedClient` is false. */
  async close(): Promise<void> {
    await this.stopUpkeep();
    const closing = Promise.all(ENGINE_NAMES.map(async (name) => this.engines[name].close?.()));
    await closing.catch(() => undefined); // told at the end: the connection closes in any case
    await this.connection.close({ quitBorrowed: this.options.closeBorrowedClient });
    await closing;
  }

  /** Two processors of one queue share its upkeep. */
  private startUpkeep(plans: readonly LoopPlan[]): void {
    const names = new Set<string>();
    for (const { engine, target } of plans) {
      for (const task of engine.upkeep(target).filter(({ name }) => !names.has(name))) {
        names.add(task.name);
        this.promoter.add(task);
      }
    }
    this.promoter.start();
  }

  private openEngines(): OpenEngines {
    const { prefix } = this.options;
    const { connection } = this;
    return byName((name) => openEngine(name, { connection, prefix, options: this.options[name] }));
  }
}

function byName<T>(make: (name: EngineName) => T): Record<EngineName, T> {
  return Object.fromEntries(ENGINE_NAMES.map((name) => [name, make(name)])) as Record<
    EngineName,
    T
  >;
}

/** An engine's own lease is the lease of its processors too, where they name none. */
function leaseOf(name: EngineName, options: ResolvedOptions): { readonly leaseMs?: number } {
  return { leaseMs: options[name]?.leaseMs ?? ENGINES[name].leaseMs };
}

function connectionSettings(options: ResolvedOptions, logger: HandlerLogger): ConnectionSettings {
  const { connection, name, connectTimeoutMs, commandTimeoutMs, blockMs } = options;
  return { connection, name, connectTimeoutMs, commandTimeoutMs, blockMs, logger };
}
