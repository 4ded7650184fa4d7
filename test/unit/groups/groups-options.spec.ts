import { GROUPS_DEFAULTS, resolveGroupsOptions } from '../../../lib/groups/groups.options.js';
import { caught } from '../../contract/caught.js';

const any = (value: unknown) => value as never;

describe('options of the groups engine', () => {
  test('have their defaults, also where they are there and undefined', () => {
    expect(resolveGroupsOptions()).toEqual(GROUPS_DEFAULTS);
    expect(resolveGroupsOptions(any({ leaseMs: undefined }))).toEqual(GROUPS_DEFAULTS);
    expect(GROUPS_DEFAULTS).toMatchObject({
      leaseMs: 30_000,
      maxAttempts: null,
      groupBatch: 1,
      newGroupsFirst: true,
      maxPayloadBytes: 1_048_576,
      keepDead: { count: 10_000, ageMs: 14 * 86_400_000 },
    });
  });

  test('are taken as given', () => {
    const given = { maxAttempts: 5, groupBatch: 20, keepDead: { count: 0 } };
    expect(resolveGroupsOptions(given)).toMatchObject({
      maxAttempts: 5,
      groupBatch: 20,
      keepDead: { count: 0, ageMs: 14 * 86_400_000 },
    });
  });

  test.each([
    [{ leaseMs: 0 }, 'groups.leaseMs'],
    [{ maxAttempts: 1.5 }, 'groups.maxAttempts'],
    [{ groupBatch: 101 }, 'groups.groupBatch'],
    [{ newGroupsFirst: 'no' }, 'groups.newGroupsFirst'],
    [{ keepDead: { count: -1 } }, 'groups.keepDead.count'],
    [{ keepDead: 5 }, 'groups.keepDead'],
    [{ maxPayloadBytes: 0 }, 'groups.maxPayloadBytes'],
    [{ codec: {} }, 'groups.codec.encode'],
    [{ lease: 5 }, 'groups.lease'],
  ])('are refused by name: %j', (options, option) => {
    const refused = caught(() => resolveGroupsOptions(any(options)));
    expect(refused).toEqual({ code: 'INVALID_OPTION', option });
  });
});
