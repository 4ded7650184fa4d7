import type { ClaimedMessage } from '../../../lib/groups/index.js';
import { useGroups } from '../../engine/groups/groups-fixture.js';
import { GroupsModel } from './model.js';

const groups = useGroups('interleavings');

const ROUNDS = 400;
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** What may happen next, the likely things more than once. */
const STEPS = [
  ...(['publish', 'publish', 'claim', 'claim', 'ack', 'ack', 'ack'] as const),
  ...(['nack', 'release', 'extend', 'lapse', 'crash', 'bury'] as const),
];

/** A generator of whole numbers below a limit that repeats itself for the same seed. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** One walk: every answer of the engine is compared with the model's. */
class Walk {
  private readonly model = new GroupsModel();
  /** What holders have in hand, those whose lease is long over among them. */
  private readonly inHand: ClaimedMessage[] = [];

  constructor(private readonly random: (limit: number) => number) {}

  async go(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) await this[STEPS[this.random(STEPS.length)]]();
    expect(await groups.transport.audit()).toEqual([]);
    await this.drain();
  }

  async publish(): Promise<void> {
    const group = NAMES[this.random(NAMES.length)];
    for (let count = 1 + this.random(4); count > 0; count--)
      this.model.publish(group, await groups.publish(group, null));
  }

  async claim(): Promise<void> {
    const [limit, groupBatch] = [1 + this.random(4), 1 + this.random(3)];
    const claimed = await groups.transport.claim({ limit, groupBatch, leaseMs: 3_600_000 });
    this.model.claim(claimed, { limit, groupBatch });
    this.inHand.push(...claimed);
  }

  async ack(): Promise<void> {
    const message = this.pick();
    if (message === undefined) return;
    expect(await groups.transport.ack(message)).toBe(this.model.ack(message));
  }

  async nack(): Promise<void> {
    const message = this.pick();
    if (message === undefined) return;
    const delayMs = this.random(2) * 3_600_000;
    const wanted = this.model.giveBack(message, { isParked: delayMs > 0, spends: true });
    expect(await groups.transport.nack(message, { delayMs })).toBe(wanted);
  }

  async release(): Promise<void> {
    const message = this.pick();
    if (message === undefined) return;
    const delayMs = this.random(2) * 3_600_000;
    const wanted = this.model.giveBack(message, { isParked: delayMs > 0, spends: false });
    expect(await groups.transport.release(message, { delayMs })).toBe(wanted);
  }

  async bury(): Promise<void> {
    const message = this.pick();
    if (message === undefined || this.random(3) > 0) return;
    const wanted = this.model.bury(message);
    expect(await groups.transport.deadLetter(message, 'no use')).toBe(wanted);
  }

  async extend(): Promise<void> {
    const message = this.pick();
    if (message === undefined) return;
    expect(await groups.transport.extend(message)).toBe(this.model.isHeldBy(message));
  }

  async lapse(): Promise<void> {
    const group = NAMES[this.random(NAMES.length)];
    await groups.lapse(group);
    this.model.lapse(group);
  }

  /** A holder dies: nothing of what it had in hand is ever settled. */
  async crash(): Promise<void> {
    const at = this.random(this.inHand.length + 1);
    const [message] = this.inHand.splice(at, 1);
    if (message === undefined) return;
    const others = this.inHand.filter(({ token }) => token !== message.token);
    this.inHand.splice(0, this.inHand.length, ...others);
    await groups.lapse(message.group);
    this.model.lapse(message.group);
  }

  private async drain(): Promise<void> {
    for (const name of NAMES) {
      await groups.lapse(name);
      this.model.lapse(name);
    }
    for (;;) {
      const claimed = await groups.transport.claim({ limit: 10 });
      this.model.claim(claimed, { limit: 10, groupBatch: 1 });
      if (claimed.length === 0) break;
      for (const message of claimed)
        expect(await groups.transport.ack(message)).toBe(this.model.ack(message));
    }
    this.model.expectEmpty();
    const letters = await groups.transport.deadLetters.list({ limit: 500 });
    expect(letters.map(({ id }) => id).sort()).toEqual([...this.model.dead].sort());
    expect(await groups.transport.stats()).toMatchObject({ backlog: 0, leased: 0, ready: 0 });
  }

  /** Mostly what was claimed lately, sometimes what somebody forgot. */
  private pick(): ClaimedMessage | undefined {
    const { length } = this.inHand;
    const recent = Math.min(length, this.random(4) === 0 ? length : 6);
    return this.inHand[length - 1 - this.random(recent)];
  }
}

describe('any interleaving of what producers and holders do', () => {
  const fresh = Date.now() % 1_000_000;

  test.each([1, 2, 3, 4, 5, 6, fresh])(
    'keeps the order and loses nothing (seed %i)',
    async (seed) => {
      await new Walk(randomOf(seed)).go();
    },
  );
});
