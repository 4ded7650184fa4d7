import { ClaimLoop } from '../../../lib/worker/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { eventually } from '../../support/eventually.js';
import { payloadsOf, useGroups } from './groups-fixture.js';

const groups = useGroups('damaged');

/** Puts an entry at the head of a group by hand. */
async function damageHead(group: string, entry: string): Promise<void> {
  await groups.redis.lpush(groups.key('q', group), entry);
  await groups.redis.hincrby(groups.key('meta'), 'backlog', 1);
}

const ENTRIES = ['not a frame', '', '\x93', '\xa1', '{"json":true}', '\xcf\x01', 'undefined'];

describe('an entry that somebody damaged', () => {
  test.each(ENTRIES)('is marked and can be buried with its raw body: %j', async (entry) => {
    await groups.publish('g', 'good');
    await damageHead('g', entry);
    const message = await groups.claimOne();
    expect(message.unreadable).toMatchObject({ code: 'UNREADABLE_PAYLOAD' });
    expect(await groups.transport.deadLetter(message, 'damaged')).toBe(true);
    const [letter] = await groups.transport.deadLetters.list();
    expect(letter.payload).toBe(entry);
    expect(payloadsOf(await groups.drain())).toEqual(['good']);
    expect(await groups.transport.deadLetters.redrive(letter.id)).toBe(true);
    expect(await groups.transport.peek('g')).toMatchObject([{ unreadable: true, payload: entry }]);
  });

  test('goes once to the dead letters through a loop, and those behind it run', async () => {
    await groups.publishAll('g', [1, 2, 3]);
    await damageHead('g', 'not a frame');
    const seen: unknown[] = [];
    const loop = new ClaimLoop({
      name: 'damaged',
      source: groups.engine.source(groups.target()),
      handler: ({ payload }) => void seen.push(payload),
      logger: new RecordingLogger(),
    });
    loop.start();
    await eventually(() => seen.length === 3);
    await loop.drain(5_000);
    expect(seen).toEqual([1, 2, 3]);
    expect(await groups.transport.deadLetters.count()).toBe(1);
  });

  test('does not stop remove, peek, stats and purge', async () => {
    const id = await groups.publish('g', 'good');
    await damageHead('g', 'not a frame');
    expect(await groups.transport.stats()).toMatchObject({ backlog: 2 });
    expect(await groups.transport.peek('g')).toHaveLength(2);
    expect(await groups.transport.remove('g', id)).toBe(true);
    expect(await groups.transport.purge('g')).toBe(1);
  });

  test('that is a key of another type stops neither claims nor other publishes', async () => {
    await groups.publish('bad', 1);
    await groups.redis.del(groups.key('q', 'bad'));
    await groups.redis.set(groups.key('q', 'bad'), 'text');
    await groups.redis.hincrby(groups.key('meta'), 'backlog', -1);
    const outcomes = await groups.transport.publishMany([
      { group: 'before', payload: 1 },
      { group: 'bad', payload: 2 },
      { group: 'behind', payload: 3 },
    ]);
    expect(outcomes.map((outcome) => 'error' in outcome)).toEqual([false, true, false]);
    await expect(groups.publish('bad', 4)).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' });
    expect(payloadsOf(await groups.drain({ limit: 5 })).sort()).toEqual([1, 3]);
  });
});
