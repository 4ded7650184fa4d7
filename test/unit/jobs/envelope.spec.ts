import { decodeEnvelope, encodeHead, type JobHead } from '../../../lib/jobs/envelope.js';

const HEAD: JobHead = {
  due: '',
  priority: 0,
  maxAttempts: 0,
  type: 'work',
  coalesceBy: '',
  headers: '',
};

/** The record as the enqueue script makes it. */
function stored(head: JobHead, payload: string | Buffer): Buffer {
  const kept = encodeHead(head).replace(/^[^|]*\|/, '');
  return Buffer.concat([Buffer.from(`7 1700000000000 ${kept}`), Buffer.from(payload as string)]);
}

const HEADS: readonly Partial<JobHead>[] = [
  {},
  { priority: -2_048, maxAttempts: 7 },
  { priority: 2 ** 53 - 1 },
  { type: ' ' },
  { type: 'a b  c ' },
  { type: '1 2 3 4 5' },
  { type: '{x}%7B|+5|' },
  { type: '😀', coalesceBy: 'é e\u0301 😀' },
  { coalesceBy: '1 2 3', headers: '{"trace":"a\\nb","":"👋"}' },
  { due: '+500' },
  { due: '1700000000000', type: 'x'.repeat(512), coalesceBy: 'y'.repeat(512) },
];

test.each(HEADS)('a record comes apart into what it was made of: %j', (given) => {
  const head = { ...HEAD, ...given };
  const payload = Buffer.from([0, 10, 10, 255, 32, 124]);
  expect(decodeEnvelope(stored(head, payload))).toEqual({
    enqueuedAt: 1_700_000_000_000,
    priority: head.priority,
    maxAttempts: head.maxAttempts,
    type: head.type,
    coalesceBy: head.coalesceBy,
    headers: head.headers === '' ? {} : (JSON.parse(head.headers) as object),
    payload,
  });
});

test.each([
  '',
  '\n',
  '\n\n\n',
  'undefined',
  '{"json":true}',
  '1 2 3',
  '1 2 3 4\n\n\n{}',
  '1 2 3 4 work\n{}',
  '1 2 3 4 work\n\n{"half\n{}',
  '1 2 3 4 work\n\n[1]\n{}',
  '1 2 3 4 work\n\n{"n":1}\n{}',
])('a damaged record has no type, and the whole of it is the payload: %j', (text) => {
  const data = Buffer.from(text);
  expect(decodeEnvelope(data)).toMatchObject({ type: '', headers: {}, payload: data });
});

test('a payload keeps its bytes without a copy', () => {
  const data = stored(HEAD, 'x'.repeat(1_000));
  expect(decodeEnvelope(data).payload.buffer).toBe(data.buffer);
});
