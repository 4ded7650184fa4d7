import { bodiesOf, idsOf, refusal, useBroker } from './broker-fixture.js';
import { TARGET, useHolder } from './holder.js';

const fixture = useBroker('broker-lapsed');
const holder = useHolder(fixture);

/** So many messages whose holder fell silent, more than one recovery takes unless said otherwise. */
const abandon = async (count = 250): Promise<readonly bigint[]> => {
  const ids = await fixture.queue('q').writeMany(Array.from({ length: count }, (_, n) => `${n}`));
  let held = 0;
  while (held < count) held += (await holder.hold(count)).length;
  await fixture.lapse('q');
  return ids;
};

/** New messages that an open batch of another handle holds. */
const reserve = async (...bodies: string[]) => {
  const [first] = await fixture.queue('q').writeMany(bodies);
  const bounds = { after: first - 1n, batchSize: bodies.length };
  const reading = fixture.queue('q').readAll({ guarantee: 'at-least-once', ...bounds });
  await reading.next();
  return reading;
};

describe('many messages of a silent holder', () => {
  it.each<[string, () => Promise<unknown>, unknown]>([
    ['deleteAll', () => fixture.queue('q').deleteAll(), true],
    ['deleteQueues', () => fixture.broker.deleteQueues(['q']), 250],
    ['rename', () => fixture.broker.rename('q', 'r'), { messages: 250, aliases: 0 }],
    ['cleanUp', () => fixture.broker.cleanUp(), true],
  ])('are nobody’s to %s', async (_, verb, answer) => {
    await abandon();
    expect(await verb()).toEqual(answer);
    expect(await fixture.queue('q').exists()).toBe(false);
  });

  it('are nobody’s to deleteMany and to keepNewest', async () => {
    const ids = await abandon();
    expect(await fixture.queue('q').deleteMany(ids.slice(120))).toBe(130);
    await fixture.queue('q').write('x', { keepNewest: 21 });
    expect(idsOf(await fixture.queue('q').peekMany()).slice(0, 20)).toEqual(ids.slice(100, 120));
    expect(await fixture.queue('q').stats()).toMatchObject({ reserved: 0, claimed: 100 });
  });

  it('that are dead letters by now are none of deleteMany and of keepNewest', async () => {
    for (let attempt = 1; attempt < TARGET.attempts; attempt++) {
      await abandon(1);
      await holder.upkeep();
    }
    expect(await holder.hold()).toHaveLength(1);
    await fixture.lapse('q');
    const [{ id }] = await fixture.queue('q').peekMany();
    expect(await fixture.queue('q').deleteMany([id])).toBe(0);
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 0, dead: 1 });
    await holder.engine.deadLetters('q').redrive(id.toString());
    expect(await holder.hold()).toHaveLength(1);
    await fixture.lapse('q');
    await fixture.queue('q').write('x', { keepNewest: 1 });
    expect(await fixture.queue('q').stats()).toMatchObject({ pending: 1, claimed: 0, dead: 1 });
  });
});

describe('a refusal while leases are over', () => {
  let firstId: bigint;
  let heldId: bigint;

  it.each<[string, string, () => Promise<unknown>]>([
    ['delete', 'RESERVED', () => fixture.queue('q').deleteMany([firstId, heldId])],
    ['deleteAll', 'RESERVED', () => fixture.queue('q').deleteAll()],
    ['deleteQueues', 'RESERVED', () => fixture.broker.deleteQueues(['other', 'q'])],
    ['rename', 'RESERVED', () => fixture.broker.rename('q', 'r')],
    ['cleanUp', 'RESERVED', () => fixture.broker.cleanUp()],
    ['keepNewest', 'RESERVED', () => fixture.queue('q').write('x', { keepNewest: 1 })],
  ])('of %s changes nothing', async (_, code, verb) => {
    const reading = await reserve('held'); // before the leases end, since it would recover them
    heldId = (await fixture.queue('q').peek())!.id;
    [firstId] = await abandon(3);
    const before = await fixture.snapshot();
    expect(await refusal(verb)).toEqual({ code, retryable: true });
    expect(await fixture.snapshot()).toEqual(before);
    await reading.return();
  });

  it('of a rename to a queue with messages, or to an alias, changes nothing', async () => {
    await abandon(3);
    await fixture.broker.write('there', 'x');
    await fixture.broker.aliases.add('alias', 'elsewhere');
    await fixture.broker.aliases.add('in', 'q');
    const before = await fixture.snapshot();
    expect(await refusal(() => fixture.broker.rename('q', 'there'))).toEqual({
      code: 'QUEUE_EXISTS',
    });
    expect(await refusal(() => fixture.broker.rename('q', 'alias'))).toEqual({ code: 'ALIAS' });
    expect(await fixture.snapshot()).toEqual(before);
  });

  it('of keepNewest for a body that is missing changes nothing', async () => {
    const [id] = await abandon(3);
    await fixture.redis.hdel(fixture.key('bodies'), id.toString());
    const before = await fixture.snapshot();
    const write = () => fixture.queue('q').write('x', { keepNewest: 3 });
    expect(await refusal(write)).toEqual({ code: 'INTEGRITY' });
    expect(await fixture.snapshot()).toEqual(before);
    fixture.isDamaged = true;
  });

  it('is none where only rows behind the displaced ones are held', async () => {
    await abandon(3);
    const reading = await reserve('held 1', 'held 2');
    await fixture.queue('q').write('x', { keepNewest: 4 });
    expect(bodiesOf(await fixture.queue('q').peekMany())).toEqual(['2', 'held 1', 'held 2', 'x']);
    await reading.return();
  });
});
