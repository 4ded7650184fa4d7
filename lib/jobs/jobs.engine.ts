import type {
  DeliverySource,
  Engine,
  EngineHealth,
  HandlerLogger,
  LoopTarget,
  UpkeepTask,
} from '../contract/index.js';
import { checkPrefix, KeySpace, type RedisConnection } from '../redis/index.js';
import { HeldJobs } from './held-jobs.js';
import { encodeTypes } from './claim-arguments.js';
import { JobClaims } from './job-claims.js';
import { JobDeadLetters } from './job.dead-letters.js';
import { JobSource } from './job.source.js';
import { JobUpkeep } from './job-upkeep.js';
import type { JobsCore } from './jobs.core.js';
import { JobDriver } from './jobs.driver.js';
import { resolveJobsOptions, type JobsOptions } from './jobs.options.js';

/** What a claim loop asks of a jobs queue. */
export interface JobsTarget extends LoopTarget {
  /** The job types that have a handler; without it all. */
  readonly types?: readonly string[];
}

/** The parts of one queue that its loops and its upkeep share in this process. */
interface Runtime {
  readonly claims: JobClaims;
  readonly held: HeldJobs;
  readonly upkeep: JobUpkeep;
}

/** The jobs engine as claim loops and the module see it. */
export class JobsEngine implements Engine<'jobs', JobsTarget> {
  readonly name = 'jobs';
  private readonly runtimes = new Map<string, Runtime>();

  constructor(
    private readonly core: JobsCore,
    private readonly driver: JobDriver,
  ) {}

  source({ queue, slots, leaseMs, attempts, types = [] }: JobsTarget): DeliverySource {
    const { claims, held } = this.runtime(queue);
    return new JobSource(claims, held, { slots, leaseMs, attempts, types: encodeTypes(types) });
  }

  /** One task a queue, the same for every loop on it. */
  upkeep({ queue }: JobsTarget): readonly UpkeepTask[] {
    return [this.runtime(queue).upkeep];
  }

  deadLetters(queue: string): JobDeadLetters {
    return new JobDeadLetters(this.driver.queue(queue));
  }

  async health(queue: string): Promise<EngineHealth> {
    const { pending, running, oldestWaitingMs } = await this.driver.queue(queue).stats();
    return {
      connected: this.core.connection.connected,
      waiting: pending,
      running,
      oldestWaitingMs,
    };
  }

  private runtime(queue: string): Runtime {
    const known = this.runtimes.get(queue);
    if (known) return known;
    const space = new KeySpace(this.core.prefix, 'jobs', queue);
    const held = new HeldJobs();
    const runtime = {
      held,
      claims: new JobClaims(this.core, space, queue),
      upkeep: new JobUpkeep(this.core, space, { queue, held }),
    };
    this.runtimes.set(queue, runtime);
    return runtime;
  }
}

/** What the module gives the engine. */
export interface JobsEngineParts {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly logger?: HandlerLogger;
  readonly options?: JobsOptions;
}

/**
 * Makes engine and driver over a connection that its maker closes; upkeep is the maker's too.
 *
 * @throws InvalidOptionError naming the option, with `jobs.` in front.
 */
export function createJobsEngine(parts: JobsEngineParts): {
  engine: JobsEngine;
  driver: JobDriver;
} {
  const core: JobsCore = {
    connection: parts.connection,
    prefix: checkPrefix('prefix', parts.prefix),
    settings: resolveJobsOptions(parts.options),
    promoter: null,
    ownsConnection: false,
  };
  const driver = new JobDriver({}, core);
  return { engine: new JobsEngine(core, driver), driver };
}
