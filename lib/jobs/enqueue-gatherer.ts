import { OperationalError } from '../errors/index.js';
import type { KeySpace, RedisConnection } from '../redis/index.js';
import type { EnqueueResult } from './job.js';
import { MAX_BATCH, MAX_TYPES } from './jobs.options.js';
import { enqueueScript, type EnqueueReply } from './jobs.scripts.js';
import type { EncodedJob } from './new-job.js';

interface Waiting {
  readonly job: EncodedJob;
  readonly resolve: (result: EnqueueResult) => void;
  readonly reject: (error: unknown) => void;
}

/** More bytes than this do not travel in one call. */
const MAX_CALL_BYTES = 4 * 1_048_576;

/**
 * Sends the jobs that are enqueued in one tick in one call, each settling by itself.
 *
 * 97,700 against 67,700 jobs a second at 100 in flight. The first job of an idle producer leaves
 * at the end of its tick; the rest of a burst goes in the calls after it, two open at a time.
 */
export class EnqueueGatherer {
  private readonly waiting: Waiting[] = [];
  private calls = 0;
  private planned = false;

  constructor(
    private readonly connection: RedisConnection,
    private readonly space: KeySpace,
  ) {}

  add(job: EncodedJob): Promise<EnqueueResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ job, resolve, reject });
      this.plan();
    });
  }

  private plan(): void {
    if (this.planned || this.calls >= 2) return;
    this.planned = true;
    if (this.calls === 0) process.nextTick(this.pump);
    else setImmediate(this.pump);
  }

  private readonly pump = (): void => {
    this.planned = false;
    while (this.waiting.length > 0 && this.calls < 2)
      void this.call(this.waiting.splice(0, this.nextCount()));
  };

  private nextCount(): number {
    let bytes = 0;
    const over = this.waiting.findIndex(
      ({ job }, at) => at === MAX_BATCH || (bytes += job.payload.length) > MAX_CALL_BYTES,
    );
    return over < 0 ? this.waiting.length : Math.max(1, over);
  }

  private async call(batch: readonly Waiting[]): Promise<void> {
    this.calls++;
    try {
      const replies = await sendJobs(
        this.connection,
        this.space,
        batch.map(({ job }) => job),
      );
      batch.forEach((one, at) => settleOne(one, replies === 1 ? 1 : replies[at]));
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
    this.calls--;
    if (this.waiting.length > 0) this.plan();
  }
}

function sendJobs(
  connection: RedisConnection,
  space: KeySpace,
  jobs: readonly EncodedJob[],
): Promise<readonly EnqueueReply[] | 1> {
  const flat: (string | Buffer)[] = [];
  let lookUpEach = false;
  for (const { id, isOwnId, hasKey, head, payload } of jobs) {
    lookUpEach ||= isOwnId || hasKey;
    flat.push(id, head, payload);
  }
  return enqueueScript.run(connection, space, { lookUpEach, maxTypes: MAX_TYPES, jobs: flat });
}

function settleOne({ job, resolve, reject }: Waiting, reply: EnqueueReply): void {
  if (reply === 1) resolve({ id: job.id, created: true });
  else if (reply === 0) resolve({ id: job.id, created: false });
  else if (reply === -1) reject(tooManyTypes());
  else resolve({ id: String(reply), created: false, absorbedBy: String(reply) });
}

function tooManyTypes(): OperationalError {
  return new OperationalError(
    `this queue has pending jobs of ${MAX_TYPES} types, the most there may be: put what varies into the payload`,
    { retryable: true, outcomeAmbiguous: false },
    'TOO_MANY_TYPES',
  );
}
