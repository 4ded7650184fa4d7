import { LeaseLostError, reasonOf } from '../errors/index.js';
import { OpenCalls, codesInOrder, encodePayload } from '../delivery/index.js';
import type { KeySpace } from '../redis/index.js';
import {
  checkDelay,
  checkDequeue,
  checkFailure,
  checkHandle,
  checkHandles,
  checkLease,
} from './claim-arguments.js';
import { markResult, readClaimedJob } from './job-record.js';
import type { ClaimedJob, DequeueOptions, FailOptions, JobHandle } from './job.js';
import type { JobsCore } from './jobs.core.js';
import { MAX_BATCH } from './jobs.options.js';
import { extendScript, settleScript, type SettleReply } from './jobs.scripts.js';
import { settleArguments, type ClaimTerms, type JobOutcome } from './outcome.js';

const EXTENDED = { '1': 'extended', '0': 'lost', '-1': 'cancelled' } as const;

const NO_CLAIM: ClaimTerms = { limit: -1, leaseMs: 1, attempts: 1, types: [] };

/** Claiming and settling of one queue: by hand (`dequeue`, `ack` …) and in batches for the loop. */
export class JobClaims {
  private readonly calls = new OpenCalls();

  constructor(
    private readonly core: JobsCore,
    private readonly space: KeySpace,
    private readonly queue: string,
  ) {}

  async dequeue(options: DequeueOptions): Promise<ClaimedJob[]> {
    const { claim, waitMs, signal } = checkDequeue(options, this.core.settings);
    const endsAt = performance.now() + waitMs;
    while (!isAborted(signal)) {
      const { claimed, nextInMs } = await this.settle([], claim, signal);
      if (claimed.length > 0) return claimed;
      const leftMs = Math.ceil(endsAt - performance.now());
      if (leftMs <= 0) break;
      await this.wait({
        types: claim.types,
        timeoutMs: nextInMs < 0 ? leftMs : Math.min(leftMs, nextInMs),
        signal,
      });
    }
    if (isAborted(signal)) this.passRingOn(claim);
    return [];
  }

  async ack(job: JobHandle, result?: unknown): Promise<void> {
    await this.settleOne({ verb: 'ack', ...checkHandle(job), result: this.encodeResult(result) });
  }

  async fail(job: JobHandle, error: Error | string, options: FailOptions): Promise<void> {
    const handle = checkHandle(job);
    await this.settleOne({ ...checkFailure(options), ...handle, reason: reasonOf(error) });
  }

  async release(job: JobHandle, options: { readonly delayMs?: number }): Promise<void> {
    const delayMs = checkDelay(options);
    await this.settleOne({ verb: 'release', ...checkHandle(job), delayMs, reason: '' });
  }

  async extend(jobs: readonly JobHandle[], options: { readonly leaseMs?: number }) {
    const leaseMs = checkLease(options, this.core.settings.leaseMs);
    const handles = checkHandles(jobs);
    const answers: (typeof EXTENDED)[keyof typeof EXTENDED][] = [];
    for (let at = 0; at < handles.length; at += MAX_BATCH) {
      const claims = handles.slice(at, at + MAX_BATCH).flatMap(({ id, token }) => [id, token]);
      const codes = await extendScript.run(this.core.connection, this.space, { leaseMs, claims });
      answers.push(...codes.map((code) => EXTENDED[String(code) as keyof typeof EXTENDED]));
    }
    return answers;
  }

  /** Settles many outcomes and claims what comes next, in one round trip. */
  async settle(
    outcomes: readonly JobOutcome[],
    terms: ClaimTerms,
    signal?: AbortSignal,
  ): Promise<Omit<SettleReply, 'claimed'> & { readonly claimed: ClaimedJob[] }> {
    const { connection, settings } = this.core;
    const args = settleArguments(outcomes, terms, settings);
    const reply = await this.calls.run((name) =>
      settleScript.run(connection, this.space, { ...args, ...name }, signal && { signal }),
    );
    const place = { queue: this.queue, leaseMs: terms.leaseMs };
    return {
      codes: codesInOrder(outcomes, reply.codes),
      claimed: reply.claimed.map((entry) => readClaimedJob(entry, settings.codec, place)),
      nextInMs: reply.nextInMs,
    };
  }

  /** Waits until a job of these (encoded) types arrives, at most `timeoutMs`; a hint, no promise. */
  wait(request: {
    types: readonly string[];
    timeoutMs: number;
    signal?: AbortSignal;
  }): Promise<void> {
    const { types, timeoutMs, signal } = request;
    const bells =
      types.length === 0
        ? [this.space.key('signal')]
        : types.map((type) => this.space.key('signal', type));
    return this.core.connection.doorbell.wait({
      keys: bells,
      timeoutMs,
      ...(signal && { signal }),
    });
  }

  /** What a handler returned, as it is stored: '' for nothing. */
  encodeResult(result: unknown): string | Buffer {
    if (result === undefined) return '';
    const { codec, maxPayloadBytes } = this.core.settings;
    return markResult(
      encodePayload(codec, result, { maxBytes: maxPayloadBytes, option: 'result' }),
    );
  }

  /** The wait may have taken a ring just as it was aborted: whoever else waits shall hear it. */
  private passRingOn(claim: ClaimTerms): void {
    this.settle([], { ...claim, limit: 0 }).catch(() => undefined);
  }

  private async settleOne(outcome: JobOutcome): Promise<void> {
    const { codes } = await this.settle([outcome], NO_CLAIM);
    if (codes[0] !== 1) throw lostLease(outcome.id, codes[0]);
  }
}

/** Why a settle was refused: code 0 the lease was lost, -1 the job was cancelled meanwhile. */
export function lostLease(id: string, code: number): LeaseLostError {
  const why = code === -1 ? 'it was cancelled' : 'its lease is over or someone else holds it';
  return new LeaseLostError(`job ${JSON.stringify(id)} is not running under this token: ${why}`);
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
