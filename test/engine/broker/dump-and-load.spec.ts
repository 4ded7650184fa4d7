import { jest } from '@jest/globals';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MAX_ID, RedisBackend } from '../../../lib/broker/index.js';
import { bodiesOf, collect, idsOf, refusal, useBroker } from './broker-fixture.js';

const fixture = useBroker('broker-dump');
const into = () => fixture.another({ namespace: `${fixture.namespace}-copy` });

afterEach(async () => {
  const copy = into();
  await copy.cleanUp();
  await copy.close();
});

describe('dump and load', () => {
  it('keep queues, exact ids, bodies, aliases and the high-water mark', async () => {
    await fixture.insert('a', 10, 20, 30);
    await fixture.broker.insert([{ queue: 'b', id: 2n ** 62n, body: '\0 "žluť"\n' }]);
    await fixture.broker.write('b', '');
    await fixture.queue('a').read();
    await fixture.broker.aliases.add('in', 'a');
    const lastId = await fixture.broker.ids.advance(2n ** 62n + 1_000n);
    const lines = await collect(fixture.broker.dump());
    expect(lines.every((line) => typeof JSON.parse(line) === 'object')).toBe(true);

    const copy = into();
    expect(await copy.load(lines)).toEqual({ messages: 4, aliases: 1, lastId });
    expect(idsOf(await copy.queue('@in').peekMany())).toEqual([20n, 30n]);
    expect(bodiesOf(await copy.queue('b').peekMany())).toEqual(['\0 "žluť"\n', '']);
    expect(await copy.ids.refresh()).toBe(lastId);
    expect(await collect(copy.dump())).toEqual(lines);
  });

  it('stream, and tell how far they are', async () => {
    await fixture.queue('q').writeMany(Array.from({ length: 2_300 }, (_, n) => `${n}`));
    const dumped: number[] = [];
    const loaded: number[] = [];
    const copy = into();
    const lines = fixture.broker.dump({ onProgress: ({ messages }) => dumped.push(messages) });
    await copy.load(lines, { onProgress: ({ messages }) => loaded.push(messages) });
    expect(dumped).toEqual([500, 1_000, 1_500, 2_000, 2_300]);
    expect(loaded).toEqual(dumped);
    expect(bodiesOf(await copy.queue('q').peekMany({ limit: 3 }))).toEqual(['0', '1', '2']);
  });

  it('hold what was there when the dump began, also of open batches', async () => {
    await fixture.insert('q', 1, 2);
    const reading = fixture.queue('q').readAll({ guarantee: 'at-least-once', batchSize: 1 });
    await reading.next();
    const dumping = fixture.broker.dump();
    const lines = [(await dumping.next()).value as string];
    await fixture.queue('q').write('later');
    lines.push(...(await collect(dumping)));
    expect((await into().load(lines)).messages).toBe(2);
    await reading.return();
  });

  it('keep bytes that are no text', async () => {
    const bytes = Buffer.from([0, 255, 254, 128]);
    const codec = { encode: (value: unknown) => value as Buffer, decode: (raw: Buffer) => raw };
    await fixture.another<Buffer>({ codec }).write('q', bytes);
    const copy = fixture.another<Buffer>({ codec, namespace: `${fixture.namespace}-copy` });
    await copy.load(fixture.broker.dump());
    expect((await copy.queue('q').read())?.body).toEqual(bytes);
  });

  it('go into an empty namespace only, unless told to merge', async () => {
    await fixture.insert('q', 1);
    const lines = await collect(fixture.broker.dump());
    const copy = into();
    await copy.write('other', 'x');
    expect(await refusal(() => copy.load(lines))).toEqual({ code: 'INTEGRITY' });
    expect((await copy.load(lines, { merge: true })).messages).toBe(1);
    expect(await refusal(() => copy.load(lines, { merge: true }))).toEqual({ code: 'INTEGRITY' });
    expect(await copy.stats()).toMatchObject({ queues: 2, pending: 2 });
  });

  it('hold each message once although messages move between queues and queues are renamed', async () => {
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) {
      await fixture.queue(name).writeMany(Array.from({ length: 600 }, (_, n) => `${name}${n}`));
    }
    const lines: string[] = [];
    const others = { limit: 150 } as const;
    for await (const line of fixture.broker.dump()) {
      lines.push(line);
      if (lines.length % 500 !== 100) continue; // on every page, in both directions
      for (const [at, name] of names.entries()) {
        await fixture.queue(name).moveMany(names[(at + 1) % 4], others);
        await fixture.queue(name).moveMany(names[(at + 3) % 4], { ...others, order: 'newest' });
      }
      if (lines.length === 600) await fixture.broker.rename('c', 'e');
    }
    const bodies = lines.flatMap((line) => (JSON.parse(line) as { body?: string }).body ?? []);
    const wanted = names.flatMap((name) => Array.from({ length: 600 }, (_, n) => `${name}${n}`));
    expect(bodies.sort()).toEqual(wanted.sort());
    expect(await into().load(lines)).toMatchObject({ messages: 2_400 });
  });

  it('go by id through more queues than a page has messages', async () => {
    const queues = Array.from({ length: 1_200 }, (_, n) => `q${n}`);
    for (const body of ['1', '2', '3']) {
      await fixture.broker.broadcast(body, { queues, createMissing: true });
    }
    await fixture.queue('q7').writeMany(['4', '5', '6']);
    const lines = await collect(fixture.broker.dump());
    const ids = lines.flatMap((line) => (JSON.parse(line) as { id?: string }).id ?? []);
    expect(ids).toHaveLength(3_603);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(await into().load(lines)).toMatchObject({ messages: 3_603 });
  });

  it('go past messages without a body, however many', async () => {
    await fixture.queue('q').writeMany(Array.from({ length: 1_200 }, (_, n) => `${n}`));
    const ids = idsOf(await fixture.queue('q').peekMany({ limit: 1_100 }));
    await fixture.redis.hdel(fixture.key('bodies'), ...ids.map((id) => id.toString()));
    const lines = await collect(fixture.broker.dump());
    expect(lines).toHaveLength(102);
    expect(await into().load(lines)).toMatchObject({ messages: 100 });
    fixture.isDamaged = true;
  });

  it('keep the highest id there is, which a write may get and an insert may not', async () => {
    await fixture.broker.insert([{ queue: 'q', id: MAX_ID - 1n, body: 'a' }]);
    expect(await fixture.broker.write('q', 'b')).toBe(MAX_ID);
    const copy = into();
    const loaded = await copy.load(fixture.broker.dump());
    expect(loaded).toEqual({ messages: 2, aliases: 0, lastId: MAX_ID });
    expect(idsOf(await copy.queue('q').peekMany())).toEqual([MAX_ID - 1n, MAX_ID]);
  });

  it('tell the high-water mark that there is afterwards', async () => {
    await fixture.insert('q', 5);
    const copy = into();
    const higher = await copy.ids.generate();
    expect((await copy.load(fixture.broker.dump())).lastId).toBe(higher);
  });

  it('take the lines of a file as Node reads them', async () => {
    await fixture.queue('q').writeMany(['1', '2', '3']);
    const folder = await mkdtemp(join(tmpdir(), 'dump-'));
    const path = join(folder, 'dump.jsonl');
    await writeFile(path, (await collect(fixture.broker.dump())).join('\n'));
    const file = await open(path);
    const readers = [
      () => createInterface({ input: createReadStream(path) }),
      () => file.readLines(),
    ];
    for (const reader of readers) {
      const copy = into();
      expect(await copy.load(reader())).toMatchObject({ messages: 3 });
      await copy.cleanUp();
    }
    await rm(folder, { recursive: true });
  });

  it('close the source of lines that is refused', async () => {
    await fixture.insert('q', 1);
    let isClosed = false;
    async function* lines() {
      try {
        yield* fixture.broker.dump();
      } finally {
        isClosed = true;
      }
    }
    expect(await refusal(() => fixture.broker.load(lines()))).toEqual({ code: 'INTEGRITY' });
    expect(isClosed).toBe(true);
  });

  it.each([undefined, null, 5, true, {}, 'a dump in one text', '{}'])(
    'refuse %p in place of lines',
    async (lines) => {
      const load = () => into().load(lines as string[]);
      expect(await refusal(load)).toEqual({ code: 'INVALID_OPTION', option: 'lines' });
    },
  );

  it.each([undefined, null, 5, {}, Buffer.from('{}'), ['{}']])(
    'refuse %p in place of a line',
    async (line) => {
      const load = () => into().load([line as string]);
      expect(await refusal(load)).toEqual({ code: 'INVALID_OPTION', option: 'line 1' });
    },
  );

  it('refuse a dump that lacks lines, and lines behind its end', async () => {
    await fixture.insert('q', 1, 2, 3);
    const lines = await collect(fixture.broker.dump());
    const wanting = lines.filter((line) => !line.includes('m2'));
    expect(await refusal(() => into().load(wanting))).toEqual({ code: 'INTEGRITY' });
    await into().cleanUp();
    const behind = [...lines, '{"queue":"q","id":"0000000000000000005","body":"m5"}'];
    expect(await refusal(() => into().load(behind))).toEqual({
      code: 'INVALID_OPTION',
      option: 'line 6',
    });
  });

  it.each([
    ['half of a surrogate pair', '"\\ud800"'],
    ['a body that is larger than allowed', '"12345678901"'],
    ['a body that is no text', '7'],
  ])('refuse %s, as a write does', async (_, body) => {
    const copy = fixture.another({
      namespace: `${fixture.namespace}-copy`,
      maxMessageBytes: 10,
    });
    const lines = [head(), `{"queue":"q","id":"0000000000000000005","body":${body}}`];
    expect(await refusal(() => copy.load(lines))).toEqual({ code: 'INVALID_MESSAGE' });
    expect((await copy.stats()).total).toBe(0);
  });

  it('load large bodies in calls of some megabytes', async () => {
    await fixture.queue('q').writeMany(Array.from({ length: 7 }, () => 'x'.repeat(1_500_000)));
    const loaded: number[] = [];
    await into().load(fixture.broker.dump(), {
      onProgress: ({ messages }) => loaded.push(messages),
    });
    expect(loaded).toEqual([2, 4, 6, 7]);
  });

  it('ask for the aliases once', async () => {
    for (let n = 0; n < 5; n++) await fixture.broker.aliases.add(`a${n}`, 'q');
    const lines = await collect(fixture.broker.dump());
    const aliases = jest.spyOn(RedisBackend.prototype, 'aliases');
    try {
      expect(await into().load(lines)).toMatchObject({ aliases: 5 });
      expect(aliases).toHaveBeenCalledTimes(1);
    } finally {
      aliases.mockRestore();
    }
  });

  it.each([
    [
      'no JSON',
      ['{"format":"nest-redis-queue:broker","version":1,"lastId":"0000000000000000000"}', '{x'],
    ],
    ['another format', ['{"format":"x"}']],
    ['another version', ['{"format":"nest-redis-queue:broker","version":2}']],
    ['an id that is a number', [head(), '{"queue":"q","id":5,"body":"x"}']],
    ['no body', [head(), '{"queue":"q","id":"0000000000000000005"}']],
    ['two bodies', [head(), '{"queue":"q","id":"0000000000000000005","body":"","base64":""}']],
    ['bad base64', [head(), '{"queue":"q","id":"0000000000000000005","base64":"a*b="}']],
    ['base64 that is no text', [head(), '{"queue":"q","id":"0000000000000000005","base64":1}']],
    ['a wrong queue', [head(), '{"queue":"-","id":"0000000000000000005","body":""}']],
    ['a stranger', [head(), '{"what":1}']],
    ['no end', [head(), '{"queue":"q","id":"0000000000000000005","body":""}']],
    ['nothing', []],
  ])('refuse lines with %s', async (_, lines) => {
    const copy = into();
    const { code } = await refusal(() => copy.load(lines));
    expect(['INVALID_OPTION', 'INTEGRITY', 'INVALID_QUEUE_NAME']).toContain(code);
  });

  function head(): string {
    return '{"format":"nest-redis-queue:broker","version":1,"lastId":"0000000000000000009"}';
  }
});
