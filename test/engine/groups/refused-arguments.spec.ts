import type { GroupTransport } from '../../../lib/groups/index.js';
import { GroupTransport as Transport } from '../../../lib/groups/index.js';
import { refusal, useGroups } from './groups-fixture.js';

const groups = useGroups('refused');
const GOOD = { group: 'g', payload: 1 };

type Call = (transport: GroupTransport, handle: { group: string; token: string }) => unknown;
const any = (value: unknown) => value as never;

const CALLS: readonly (readonly [string, string, Call])[] = [
  ['publish without a group', 'group', (t) => t.publish(any({ payload: 1 }))],
  ['an empty group', 'group', (t) => t.publish({ ...GOOD, group: '' })],
  ['a group that is a number', 'group', (t) => t.publish(any({ ...GOOD, group: 7 }))],
  ['a group of 513 bytes', 'group', (t) => t.publish({ ...GOOD, group: 'x'.repeat(513) })],
  ['a group that is no text', 'group', (t) => t.publish({ ...GOOD, group: '\ud83d' })],
  ['a priority of 1.5', 'priority', (t) => t.publish({ ...GOOD, priority: 1.5 })],
  ['a priority of NaN', 'priority', (t) => t.publish({ ...GOOD, priority: NaN })],
  ['a priority that is text', 'priority', (t) => t.publish(any({ ...GOOD, priority: '2' }))],
  ['an unknown field', 'message.delayMs', (t) => t.publish(any({ ...GOOD, delayMs: 1 }))],
  ['headers of numbers', 'headers.n', (t) => t.publish(any({ ...GOOD, headers: { n: 1 } }))],
  ['another topic without a name', 'topic', (t) => t.topic(any(undefined))],
  ['another topic named null', 'topic', (t) => t.topic(any(null))],
  ['no list of messages', 'messages', (t) => t.publishMany(any(GOOD))],
  ['one bad among many', 'group', (t) => t.publishMany([GOOD, { ...GOOD, group: '' }])],
  ['a limit of 0', 'limit', (t) => t.claim({ limit: 0 })],
  ['a limit of 501', 'limit', (t) => t.claim({ limit: 501 })],
  ['a lowest priority of 0.5', 'minPriority', (t) => t.claim({ minPriority: 0.5 })],
  ['a lease of 0', 'leaseMs', (t) => t.claim({ leaseMs: 0 })],
  ['a batch of 101', 'groupBatch', (t) => t.claim({ groupBatch: 101 })],
  ['a wait below 0', 'waitMs', (t) => t.claim({ waitMs: -1 })],
  ['no signal', 'signal', (t) => t.claim(any({ signal: {} }))],
  ['an unknown option', 'options.visibility', (t) => t.claim(any({ visibility: 1 }))],
  ['a delay of NaN', 'delayMs', (t, h) => t.nack(h, { delayMs: NaN })],
  ['a delay below 0', 'delayMs', (t, h) => t.nack(h, { delayMs: -1 })],
  ['a delay of Infinity', 'delayMs', (t, h) => t.nack(h, { delayMs: Infinity })],
  ['a delay that is text', 'delayMs', (t, h) => t.nack(h, any({ delayMs: '5' }))],
  ['a delay of 1.5', 'delayMs', (t, h) => t.nack(h, { delayMs: 1.5 })],
  ['a Date as a delay', 'delayMs', (t, h) => t.nack(h, any({ delayMs: new Date() }))],
  ['a release below 0', 'delayMs', (t, h) => t.release(h, { delayMs: -1 })],
  ['a reason that is none', 'error', (t, h) => t.deadLetter(h, any(7))],
  ['a release after null', 'delayMs', (t, h) => t.release(h, any({ delayMs: null }))],
  ['an extension by null', 'leaseMs', (t, h) => t.extend(h, any({ leaseMs: null }))],
  ['an extension by 0', 'leaseMs', (t, h) => t.extend(h, { leaseMs: 0 })],
  ['no handle', 'message', (t) => t.ack(any(null))],
  ['a handle without a token', 'token', (t) => t.ack(any({ group: 'g' }))],
  ['a token that is none', 'token', (t) => t.ack({ group: 'g', token: 'abc' })],
  ['a place below 0', 'position', (t, h) => t.ack({ ...h, position: -1 })],
  ['a page of null', 'limit', (t) => t.peek('g', any({ limit: null }))],
  ['a page from null', 'offset', (t) => t.peek('g', any({ offset: null }))],
  ['a page of 0', 'limit', (t) => t.peek('g', { limit: 0 })],
  ['a purge of nothing', 'group', (t) => t.purge('')],
  ['a removal without an id', 'id', (t) => t.remove('g', '')],
  ['a rate of 0', 'rate.max', (t) => t.limit('g', { max: 0, durationMs: 1 })],
  ['a rate in no time', 'rate.durationMs', (t) => t.limitEach({ max: 1, durationMs: 0 })],
  ['a pause of an empty name', 'group', (t) => t.pause('')],
  ['a repair of null', 'repair', (t) => t.audit(any({ repair: null }))],
  ['a repair that is text', 'repair', (t) => t.audit(any({ repair: 'yes' }))],
];

describe('a call that cannot be right', () => {
  test.each(CALLS)('%s is refused with nothing changed', async (_, option, call) => {
    await groups.publish('g', 'held');
    const held = await groups.claimOne();
    await groups.publish('h', 'waiting');
    const before = await groups.snapshot();
    const refused = await refusal(() => call(groups.transport, held));
    expect(refused).toEqual({ code: 'INVALID_OPTION', option });
    expect(await groups.snapshot()).toEqual(before);
  });

  test.each([['a circle'], ['a bigint'], ['undefined'], ['too much']])(
    'a payload that cannot be stored is refused: %s',
    async (kind) => {
      const circle: Record<string, unknown> = {};
      circle.self = circle;
      const payload = {
        'a circle': circle,
        'a bigint': 1n,
        undefined: undefined,
        'too much': 'x'.repeat(1_048_577),
      }[kind];
      const refused = await refusal(() => groups.transport.publish({ group: 'g', payload }));
      expect(refused).toEqual({ code: 'INVALID_PAYLOAD' });
      expect(await groups.snapshot()).toEqual({});
    },
  );

  test.each([
    [{ connection: { url: 'redis://localhost:1' }, topic: '' }, 'topic'],
    [{ connection: { url: 'redis://localhost:1' }, topic: null }, 'topic'],
    [{}, 'connection'],
    [{ connection: { url: 'redis://localhost:1' }, maxAttempts: 0 }, 'options.maxAttempts'],
    [{ connection: { url: 'redis://localhost:1' }, newGroupsFirst: 1 }, 'options.newGroupsFirst'],
    [{ connection: { url: 'redis://localhost:1' }, concurrency: 1 }, 'options.concurrency'],
  ])('a transport of %j is refused', async (options, option) => {
    const refused = await refusal(() => new Transport(any(options)));
    expect(refused).toEqual({ code: 'INVALID_OPTION', option });
  });

  test.each([
    [{ highRatio: 1.1 }, 'highRatio'],
    [{ priorityThreshold: 5 }, 'priorityThreshold'],
    [{ weights: [1, 2, 3] }, 'weights'],
    [{ weights: [0, 0, 0, 0, 0] }, 'weights'],
    [{ weights: [1, 1, 1, 1, 1], highRatio: 0.5 }, 'weights'],
    [{ groupBatch: 0 }, 'groupBatch'],
  ])('a loop of %j is refused', async (more, option) => {
    const refused = await refusal(() => groups.engine.source(groups.target(more)));
    expect(refused).toEqual({ code: 'INVALID_OPTION', option });
  });
});
