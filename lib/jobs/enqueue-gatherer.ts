import { OperationalError } from '../errors/index.js';
import { allOrPartial, Gatherer } from '../delivery/index.js';
import type { KeySpace, RedisConnection } from '../redis/index.js';
import type { EnqueueResult } from './job.js';
import { MAX_BATCH, MAX_TYPES } from './jobs.options.js';
import { enqueueScript, type EnqueueReply } from './jobs.scripts.js';
import type { EncodedJob } from './new-job.js';

/** Sends the jobs that are enqueued in one tick in one call, each settling by itself. */
export class EnqueueGatherer {
  private readonly gatherer: Gatherer<EncodedJob, EnqueueReply>;

  constructor(connection: RedisConnection, space: KeySpace) {
    this.gatherer = new Gatherer({
      maxItems: MAX_BATCH,
      sizeOf: ({ payload }) => payload.length,
      send: (jobs) => sendJobs(connection, space, jobs),
    });
  }

  async add(job: EncodedJob): Promise<EnqueueResult> {
    return resultOf(job, await this.gatherer.add(job));
  }

  /** Results in the order of the jobs; rejects when one of them failed. */
  async addMany(jobs: readonly EncodedJob[]): Promise<EnqueueResult[]> {
    return allOrPartial(await Promise.allSettled(jobs.map((job) => this.add(job))));
  }
}

async function sendJobs(
  connection: RedisConnection,
  space: KeySpace,
  jobs: readonly EncodedJob[],
): Promise<readonly EnqueueReply[]> {
  const flat: (string | Buffer)[] = [];
  let lookUpEach = false;
  for (const { id, isOwnId, hasKey, type, head, payload } of jobs) {
    lookUpEach ||= isOwnId || hasKey || type !== jobs[0].type;
    flat.push(id, head, payload);
  }
  const args = { lookUpEach, maxTypes: MAX_TYPES, jobs: flat };
  const replies = await enqueueScript.run(connection, space, args);
  return replies === 1 ? jobs.map(() => 1) : replies;
}

function resultOf({ id, isOwnId }: EncodedJob, reply: EnqueueReply): EnqueueResult {
  if (reply === 1) return { id, created: true };
  if (reply === 0) return { id, created: !isOwnId }; // an id of ours: the reply of the first try was lost
  if (reply === -1) throw tooManyTypes();
  return { id: String(reply), created: false, absorbedBy: String(reply) };
}

function tooManyTypes(): OperationalError {
  return new OperationalError(
    `this queue has pending jobs of ${MAX_TYPES} types, the most there may be: put what varies into the payload`,
    { retryable: true, outcomeAmbiguous: false },
    'TOO_MANY_TYPES',
  );
}
