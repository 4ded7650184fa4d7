import type { QueueFixture } from './queue-fixture.js';

const deep = (levels: number): unknown => (levels === 0 ? 'bottom' : { next: [deep(levels - 1)] });

const PAYLOADS: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['false', false],
  ['zero', 0],
  ['a large number', 2 ** 53 - 1],
  ['a small fraction', 1e-7],
  ['an empty text', ''],
  ['digits as text', '0012345678901234567890'],
  ['an empty array', []],
  ['an empty object', {}],
  ['an empty array within', { list: [], map: {} }],
  ['NUL and control characters', '\u0000\u0001\r\n\t\u007f\u0000'],
  ['unicode', 'žluťoučký 馬 👩‍👩‍👧 \u202e é e\u0301'],
  ['half of a surrogate pair', '\ud83d'],
  ['keys that look special', { constructor: 1, '': 2, 'a.b': 3, $ref: 4 }],
  ['text that looks like JSON', '{"a":[1,2'],
  ['deep nesting', deep(60)],
  ['a long text', 'x'.repeat(200_000)],
];

export function describePayloads(fixture: QueueFixture): void {
  describe('payloads', () => {
    it.each(PAYLOADS)('come out as they went in: %s', async (_, payload) => {
      await fixture.queue.produce(payload);
      const delivery = await fixture.claimOne();
      expect(delivery.unreadable).toBe(null);
      expect(delivery.message.payload).toEqual(payload);
      await delivery.nack({ error: new Error('kept'), retryInMs: null });
      const [letter] = await fixture.queue.deadLetters.list();
      expect(letter.payload).toEqual(payload);
    });

    fixture.itIf('headers')('travel with their headers', async () => {
      const headers = { 'trace-id': '00-ab', empty: '', žluť: '👋\u0000' };
      await fixture.queue.produce('x', { headers });
      const delivery = await fixture.claimOne();
      expect(delivery.message.headers).toEqual(headers);
    });

    fixture.itIf('max attempts')('travel with the limit of attempts', async () => {
      await fixture.queue.produce('x', { maxAttempts: 7 });
      expect((await fixture.claimOne()).maxAttempts).toBe(7);
      await fixture.queue.produce('y');
      expect((await fixture.claimOne()).maxAttempts).toBe(null);
    });

    fixture.itIf('unreadable')('that do not decode are marked, the others come', async () => {
      const bad = await fixture.queue.produceUnreadable();
      const good = await fixture.queue.produce('good');
      const held = await fixture.claimAll(2);
      const unreadable = new Map(held.map((one) => [one.message.id, one.unreadable]));
      expect(unreadable.get(bad)).toBeInstanceOf(Error);
      expect(unreadable.get(good)).toBe(null);
    });
  });
}
