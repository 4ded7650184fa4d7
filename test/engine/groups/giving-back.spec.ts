import { useGroups } from './groups-fixture.js';

const groups = useGroups('giving-back');

const publishAndClaim = async () => {
  await groups.publish('g', 'head');
  return groups.claimOne();
};

describe('nack', () => {
  test('without a delay brings the same message at once, ahead of groups served just now', async () => {
    await groups.publishAll('served', [1, 2]);
    const served = await groups.claimOne();
    const message = await publishAndClaim();
    await groups.transport.ack(served);
    expect(await groups.transport.nack(message)).toBe(true);
    expect(await groups.scoreOf('g')).toBe(0);
    expect(await groups.claimOne()).toMatchObject({ id: message.id, attempt: 2 });
  });

  test('with a delay parks the group and no other', async () => {
    const message = await publishAndClaim();
    await groups.publish('other', 1);
    await groups.transport.nack(message, { delayMs: 60_000 });
    expect(await groups.claimOne()).toMatchObject({ group: 'other' });
    expect(await groups.transport.claim()).toEqual([]);
    const state = await groups.transport.inspect('g');
    expect(state).toMatchObject({ parked: true, leased: 0, attempts: 1, depth: 1 });
    expect(state?.claimableInMs).toBeGreaterThan(50_000);
    await groups.lapse('g');
    expect(await groups.claimOne()).toMatchObject({ id: message.id, attempt: 2 });
  });

  test('with a delay is over when the time has come, and not before', async () => {
    const message = await publishAndClaim();
    const before = performance.now();
    await groups.transport.nack(message, { delayMs: 80 });
    const again = await groups.claimOne({ waitMs: 10_000 });
    expect(performance.now() - before).toBeGreaterThanOrEqual(78);
    expect(again).toMatchObject({ id: message.id, attempt: 2 });
  });

  test('keeps the lock with its token: an ack succeeds, extend and a second nack do not', async () => {
    const message = await publishAndClaim();
    await groups.transport.nack(message, { delayMs: 60_000 });
    expect(await groups.redis.get(groups.key('lock', 'g'))).toBe(message.token);
    const parked = await groups.snapshot();
    expect(await groups.transport.extend(message)).toBe(false);
    expect(await groups.transport.nack(message)).toBe(false);
    expect(await groups.transport.release(message)).toBe(false);
    expect(await groups.snapshot()).toEqual(parked);
    expect(await groups.transport.ack(message)).toBe(true);
    expect(await groups.transport.inspect('g')).toBe(null);
  });

  test('a publish does not make a parked group claimable', async () => {
    const message = await publishAndClaim();
    await groups.transport.nack(message, { delayMs: 60_000 });
    await groups.publish('g', 'second');
    expect(await groups.transport.claim()).toEqual([]);
  });

  test('is for the holder alone', async () => {
    const late = await publishAndClaim();
    await groups.lapse('g');
    const holder = await groups.claimOne();
    const before = await groups.snapshot();
    expect(await groups.transport.nack(late)).toBe(false);
    expect(await groups.transport.nack(late, { delayMs: 50 })).toBe(false);
    expect(await groups.snapshot()).toEqual(before);
    expect(await groups.transport.ack(holder)).toBe(true);
  });
});

describe('release', () => {
  test('spends no attempt and comes next in its group', async () => {
    const message = await publishAndClaim();
    await groups.publish('g', 'second');
    expect(await groups.transport.release(message)).toBe(true);
    expect(await groups.claimOne()).toMatchObject({ id: message.id, attempt: 1 });
  });

  test('may postpone', async () => {
    const message = await publishAndClaim();
    await groups.transport.release(message, { delayMs: 60_000 });
    expect(await groups.transport.claim()).toEqual([]);
    await groups.lapse('g');
    expect(await groups.claimOne()).toMatchObject({ id: message.id, attempt: 1 });
  });
});
