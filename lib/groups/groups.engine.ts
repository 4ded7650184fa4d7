import type { DeliverySource, Engine, EngineHealth, LoopTarget } from '../contract/index.js';
import { checkPrefix, KeySpace, type RedisConnection } from '../redis/index.js';
import { GroupClaims } from './group-claims.js';
import type { GroupDeadLetters } from './group.dead-letters.js';
import { GroupSource } from './group.source.js';
import type { GroupsCore } from './groups.core.js';
import { checkGroupBatch, resolveGroupsOptions, type GroupsOptions } from './groups.options.js';
import type { GroupsProcessorSettings } from './groups.processor.js';
import { GroupTransport } from './groups.transport.js';
import { checkTierOptions } from './tiers.js';

/** What a claim loop asks of a topic; `queue` is its name. */
export interface GroupsTarget extends LoopTarget, GroupsProcessorSettings {}

/** The groups engine as claim loops and the module see it. */
export class GroupsEngine implements Engine<'groups', GroupsTarget> {
  readonly name = 'groups';

  constructor(
    private readonly core: GroupsCore,
    private readonly transport: GroupTransport,
  ) {}

  /** @throws InvalidOptionError naming the option */
  source(target: GroupsTarget): DeliverySource {
    const { queue, slots, leaseMs, attempts, groupBatch = this.core.settings.groupBatch } = target;
    const { highRatio, priorityThreshold, weights } = target;
    const space = new KeySpace(this.core.prefix, 'groups', queue);
    return new GroupSource(new GroupClaims(this.core, space, queue), {
      slots,
      leaseMs,
      attempts,
      batch: checkGroupBatch('groupBatch', groupBatch),
      tiers: checkTierOptions({ highRatio, priorityThreshold, weights }),
    });
  }

  /** None: a lapsed lease is claimable by itself, and dead letters are trimmed as they come. */
  upkeep(): readonly [] {
    return [];
  }

  deadLetters(queue: string): GroupDeadLetters {
    return this.transport.topic(queue).deadLetters;
  }

  async health(queue: string): Promise<EngineHealth> {
    const { ready, leased, oldestWaitingMs } = await this.transport.topic(queue).stats();
    const { connected } = this.core.connection;
    return { connected, waiting: ready, running: leased, oldestWaitingMs };
  }
}

/** What the module gives the engine. */
export interface GroupsEngineParts {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly options?: GroupsOptions;
}

/**
 * Makes engine and transport over a connection that its maker closes.
 *
 * @throws InvalidOptionError naming the option, with `groups.` in front.
 */
export function createGroupsEngine(parts: GroupsEngineParts): {
  engine: GroupsEngine;
  driver: GroupTransport;
} {
  const core: GroupsCore = {
    connection: parts.connection,
    prefix: checkPrefix('prefix', parts.prefix),
    settings: resolveGroupsOptions(parts.options),
    ownsConnection: false,
  };
  const driver = new GroupTransport({}, core);
  return { engine: new GroupsEngine(core, driver), driver };
}
