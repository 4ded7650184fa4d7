import {
  InvalidOptionError,
  LeaseLostError,
  checkDuration,
  checkInteger,
} from '../errors/index.js';
import { checkName, encodeName, encodePayload, type KeySpace } from '../redis/index.js';
import { encodeResult, readClaimedJob } from './job-record.js';
import type { ClaimedJob, DequeueOptions, FailOptions, JobHandle } from './job.js';
import type { JobsCore } from './jobs.core.js';
import { DEFAULT_ATTEMPTS, FAIL_RETRY_MS, MAX_BATCH } from './jobs.options.js';
import { extendScript, settleScript, type SettleReply } from './jobs.scripts.js';
import { codesInOrder, settleArguments, type ClaimTerms, type JobOutcome } from './outcome.js';

const EXTENDED = { '1': 'extended', '0': 'lost', '-1': 'cancelled' } as const;

/** Error texts are kept to this many characters: a reason, not a dump. */
const MAX_REASON = 2_000;

const NO_CLAIM: ClaimTerms = { limit: -1, leaseMs: 1, attempts: 1, types: [] };

/** Claiming and settling of one queue: by hand (`dequeue`, `ack` …) and in batches for the loop. */
export class JobClaims {
  constructor(
    private readonly core: JobsCore,
    private readonly space: KeySpace,
    private readonly queue: string,
  ) {}

  async dequeue(options: DequeueOptions): Promise<ClaimedJob[]> {
    const {
      limit = 1,
      leaseMs = this.core.settings.leaseMs,
      waitMs = 5_000,
      types = [],
      signal,
    } = options;
    const terms = {
      limit: checkInteger('limit', limit, { min: 1, max: MAX_BATCH }),
      leaseMs: checkDuration('leaseMs', leaseMs),
      attempts: DEFAULT_ATTEMPTS,
      types: encodeTypes(types),
    };
    const endsAt = performance.now() + checkDuration('waitMs', waitMs, { min: 0 });
    while (!isAborted(signal)) {
      const { claimed, nextInMs } = await this.settle([], terms);
      if (claimed.length > 0) return claimed;
      const leftMs = Math.ceil(endsAt - performance.now());
      if (leftMs <= 0) break;
      await this.wait({
        types: terms.types,
        timeoutMs: nextInMs < 0 ? leftMs : Math.min(leftMs, nextInMs),
        signal,
      });
    }
    return [];
  }

  async ack(job: JobHandle, result?: unknown): Promise<void> {
    await this.settleOne({ verb: 'ack', ...checkHandle(job), result: this.encodeResult(result) });
  }

  async fail(job: JobHandle, error: Error | string, options: FailOptions): Promise<void> {
    const reason = reasonOf(error);
    if (options.retry === false) {
      return this.settleOne({ verb: 'fail', ...checkHandle(job), delayMs: 0, reason });
    }
    const delayMs = checkDuration('retryInMs', options.retryInMs ?? FAIL_RETRY_MS, { min: 0 });
    return this.settleOne({ verb: 'retry', ...checkHandle(job), delayMs, reason });
  }

  async release(job: JobHandle, options: { readonly delayMs?: number }): Promise<void> {
    const delayMs = checkDuration('delayMs', options.delayMs ?? 0, { min: 0 });
    await this.settleOne({ verb: 'release', ...checkHandle(job), delayMs, reason: '' });
  }

  async extend(jobs: readonly JobHandle[], options: { readonly leaseMs?: number }) {
    const leaseMs = checkDuration('leaseMs', options.leaseMs ?? this.core.settings.leaseMs);
    const handles = jobs.map(checkHandle);
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
  ): Promise<Omit<SettleReply, 'claimed'> & { readonly claimed: ClaimedJob[] }> {
    const reply = await settleScript.run(
      this.core.connection,
      this.space,
      settleArguments(outcomes, terms, this.core.settings),
    );
    const place = { queue: this.queue, leaseMs: terms.leaseMs };
    return {
      codes: codesInOrder(outcomes, reply.codes),
      claimed: reply.claimed.map((entry) => readClaimedJob(entry, this.core.settings.codec, place)),
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
    return encodeResult(encodePayload(codec, result, maxPayloadBytes, 'result'));
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

/** A failure as text, short enough to keep. */
export function reasonOf(error: Error | string): string {
  const text = typeof error === 'string' ? error : error.message || error.name;
  return text.slice(0, MAX_REASON);
}

/** Names of types as Lua knows them. */
export function encodeTypes(types: readonly string[]): string[] {
  if (!Array.isArray(types)) throw new InvalidOptionError('types', 'expected a list of job types');
  return types.map((type) => encodeName(checkName('types', type)));
}

function checkHandle({ id, token }: JobHandle): JobHandle {
  return { id: checkName('id', id), token: checkToken(token) };
}

function checkToken(token: unknown): string {
  if (typeof token === 'string' && /^\d{1,16}$/.test(token)) return token;
  throw new InvalidOptionError('token', 'expected the token of a claimed job');
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
