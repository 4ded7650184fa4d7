import { Redis } from 'ioredis';
import {
  createGroupsEngine,
  type ClaimedMessage,
  type ClaimOptions,
  type GroupsEngine,
  type GroupsOptions,
  type GroupsTarget,
  type GroupTransport,
  type NewMessage,
} from '../../../lib/groups/index.js';
import { newId } from '../../../lib/delivery/index.js';
import { RedisConnection, encodeName } from '../../../lib/redis/index.js';
import { startServer, type ServerOptions, type TestServer } from '../../support/redis-server.js';
import { REDIS_URL, testPrefix, type TestPrefix } from '../../support/test-prefix.js';

/** A topic as one process sees it. */
export interface OpenTopic {
  readonly transport: GroupTransport;
  readonly engine: GroupsEngine;
}

/** The topic of the running test. */
export class GroupsFixture {
  redis!: Redis;
  /** A fresh name for every test. */
  topic = '';
  transport!: GroupTransport;
  engine!: GroupsEngine;
  /** Set by tests that damage their topic by hand and leave it so. */
  isDamaged = false;
  url = REDIS_URL;
  private scope!: TestPrefix;
  private server: TestServer | undefined;
  private connections: RedisConnection[] = [];

  constructor(
    private readonly word: string,
    private readonly ownServer?: ServerOptions,
  ) {}

  async begin(): Promise<void> {
    if (this.ownServer) this.server = await startServer(this.ownServer);
    this.url = this.server?.url ?? REDIS_URL;
    this.scope = testPrefix(this.word, this.url);
    this.redis = new Redis(this.url);
  }

  get prefix(): string {
    return this.scope.prefix;
  }

  open(): void {
    this.topic = `t${newId()}`;
    this.isDamaged = false;
    Object.assign(this, this.process());
  }

  /** Every test ends with a topic whose invariants hold. */
  async close(): Promise<void> {
    const findings = this.isDamaged ? [] : await this.transport.audit();
    await Promise.all(this.connections.splice(0).map((connection) => connection.close()));
    expect(findings).toEqual([]);
  }

  async end(): Promise<void> {
    await this.scope.cleanUp();
    this.redis.disconnect();
    await this.server?.stop();
  }

  /** The same topic as another process sees it, over a connection of its own. */
  process(options: GroupsOptions = {}, url = this.url): OpenTopic {
    const connection = new RedisConnection({ connection: { url }, name: newId() });
    this.connections.push(connection);
    const { engine, driver } = createGroupsEngine({ connection, prefix: this.prefix, options });
    return { engine, transport: driver.topic(this.topic) };
  }

  target(more: Partial<GroupsTarget> = {}): GroupsTarget {
    return { queue: this.topic, slots: 1, leaseMs: 30_000, attempts: 3, ...more };
  }

  key(...parts: string[]): string {
    return [`${this.prefix}:groups:{${encodeName(this.topic)}}`, ...parts].join(':');
  }

  /** The keys of this test's topic, without the common beginning. */
  async keys(): Promise<string[]> {
    const base = this.key();
    const keys = await this.scope.keys();
    const own = keys.filter((key) => key.startsWith(`${base}:`));
    return own.map((key) => key.slice(base.length + 1));
  }

  /** Every key of the topic with its content, to prove that nothing was changed. */
  async snapshot(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const part of await this.keys()) {
      // a bell expires by itself, and what a call answered is kept for its caller alone
      if (part === 'signal' || part.startsWith('call:')) continue;
      found[part] = (await this.redis.dumpBuffer(this.key(part))).toString('hex');
    }
    return found;
  }

  async publish(group: string, payload: unknown, more: Partial<NewMessage> = {}): Promise<string> {
    return (await this.transport.publish({ group, payload, ...more })).id;
  }

  /** Publishes one after the other, so that the order is certain. */
  async publishAll(group: string, payloads: readonly unknown[]): Promise<void> {
    for (const payload of payloads) await this.publish(group, payload);
  }

  async claimOne(options: ClaimOptions = {}): Promise<ClaimedMessage> {
    const [message] = await this.transport.claim(options);
    if (message === undefined) throw new Error('nothing was claimable');
    return message;
  }

  /** Claims, acks and notes what comes, until nothing is claimable. */
  async drain(options: ClaimOptions = {}): Promise<ClaimedMessage[]> {
    const seen: ClaimedMessage[] = [];
    for (;;) {
      const claimed = await this.transport.claim(options);
      if (claimed.length === 0) return seen;
      for (const message of claimed) {
        seen.push(message);
        expect(await this.transport.ack(message)).toBe(true);
      }
    }
  }

  /** Ends the lease, the park or the rate window of a group, as if the time had passed. */
  async lapse(group: string): Promise<void> {
    await this.redis.del(this.key('lock', group), this.key('rate', group));
    for (const tier of '01234') {
      const key = this.key('ready', tier);
      if ((await this.redis.zscore(key, group)) !== null) await this.redis.zadd(key, 1, group);
    }
  }

  /** When a group is claimable next, by its place in its tier; `null` when it has none. */
  async scoreOf(group: string, tier = 0): Promise<number | null> {
    const score = await this.redis.zscore(this.key('ready', String(tier)), group);
    return score === null ? null : Number(score);
  }

  /** The server's clock. */
  async now(): Promise<number> {
    const [seconds, micros] = await this.redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  /** How many scripts the server has run; on a server of its own these are the test's. */
  async scriptsRun(): Promise<number> {
    const stats = await this.redis.info('commandstats');
    const callsOf = (command: string) =>
      Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
    return callsOf('evalsha') + callsOf('eval');
  }
}

/** A topic of its own for every test of the file, on the shared server or on one of its own. */
export function useGroups(word: string, ownServer?: ServerOptions): GroupsFixture {
  const groups = new GroupsFixture(`groups-${word}`, ownServer);
  beforeAll(() => groups.begin());
  beforeEach(() => groups.open());
  afterEach(() => groups.close());
  afterAll(() => groups.end());
  return groups;
}

/** What a call rejects with, as far as tests compare it. */
export async function refusal(call: () => unknown): Promise<{ code?: string; option?: string }> {
  try {
    await call();
  } catch (error) {
    const { code, option } = error as { code?: string; option?: string };
    return option === undefined ? { code } : { code, option };
  }
  return {};
}

export function groupsOf(messages: readonly { readonly group: string }[]): string[] {
  return messages.map(({ group }) => group);
}

export function payloadsOf(messages: readonly { readonly payload: unknown }[]): unknown[] {
  return messages.map(({ payload }) => payload);
}
