import { refusal, useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-alias-version');

beforeEach(async () => {
  await fixture.insert('q', 1);
  await fixture.insert('plain', 2);
  await fixture.broker.aliases.add('known', 'q');
});

const spoil = (version: string) => fixture.redis.hset(fixture.key('meta'), 'aliases', version);

describe('an alias version that cannot be raised', () => {
  it.each(['x', '', '1.5', '-3', '007', ' 1', '1e3', '9223372036854775807', '9'.repeat(30)])(
    'makes %p what changes aliases refuse before any change',
    async (version) => {
      await spoil(version);
      const before = await fixture.snapshot();
      for (const call of [
        () => fixture.broker.aliases.add('more', 'q'),
        () => fixture.broker.aliases.remove('known'),
        () => fixture.broker.aliases.remove('none'),
        () => fixture.broker.rename('q', 'z'),
      ]) {
        expect(await refusal(call)).toEqual({ code: 'INTEGRITY' });
      }
      expect(await fixture.snapshot()).toEqual(before);
    },
  );

  it('is nothing to a rename that changes no alias', async () => {
    await spoil('x');
    expect(await fixture.broker.rename('plain', 'y')).toEqual({ messages: 1, aliases: 0 });
    const options = { retargetAliases: false };
    expect(await fixture.broker.rename('q', 'z', options)).toEqual({ messages: 1, aliases: 0 });
  });
});

it.each(['0', '41', '9'.repeat(18)])('the alias version %p is raised', async (version) => {
  await spoil(version);
  await fixture.broker.aliases.add('more', 'q');
  const raised = await fixture.redis.hget(fixture.key('meta'), 'aliases');
  expect(raised).toBe(String(BigInt(version) + 1n));
});
