import { asId, checkId, formatId, INSERTABLE, MAX_ID, parseId } from '../../../lib/broker/ids.js';
import {
  checkNamespace,
  checkQueueName,
  checkQueueReference,
} from '../../../lib/broker/queue-name.js';
import { caught } from '../../contract/caught.js';

describe('message ids', () => {
  test.each([0n, 1n, 2n ** 53n, 2n ** 53n + 1n, MAX_ID])('%p keeps its value as text', (id) => {
    expect(formatId(id)).toMatch(/^\d{19}$/);
    expect(asId(formatId(id))).toBe(id);
    expect(parseId(formatId(id))).toBe(id);
    expect(checkId('id', formatId(id))).toBe(id);
    expect(checkId('id', ` ${formatId(id)}\n`)).toBe(id);
  });

  test.each([
    MAX_ID + 1n,
    '9223372036854775808',
    '١'.repeat(19),
    '0x00000000000000001',
    '+000000000000000001',
  ])('%p is none', (value) => {
    expect(caught(() => checkId('id', value))).toEqual({ code: 'INVALID_OPTION', option: 'id' });
  });

  test('that are inserted are above 0', () => {
    expect(caught(() => checkId('id', 0n, INSERTABLE))).toMatchObject({ option: 'id' });
    expect(caught(() => checkId('id', MAX_ID, INSERTABLE))).toMatchObject({ option: 'id' });
    expect(checkId('id', '0000000000000000040', INSERTABLE)).toBe(40n);
  });
});

describe('names', () => {
  test('of queues are literal, and those behind an @ obey the same grammar', () => {
    expect(checkQueueReference('@a.b')).toBe('@a.b');
    for (const wrong of ['@', '@@a', '@.a', '@a b']) {
      expect(caught(() => checkQueueReference(wrong))).toEqual({ code: 'INVALID_QUEUE_NAME' });
    }
    expect(caught(() => checkQueueName('@a'))).toEqual({ code: 'INVALID_QUEUE_NAME' });
  });

  test.each(['default', 'a.b-c_D9', '.', 'x'.repeat(128)])('%p is a namespace', (name) => {
    expect(checkNamespace('namespace', name)).toBe(name);
  });
});
