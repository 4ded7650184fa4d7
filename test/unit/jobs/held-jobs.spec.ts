import { CancelledError, LeaseLostError } from '../../../lib/errors/index.js';
import { HeldJobs } from '../../../lib/jobs/held-jobs.js';
import { JobDelivery } from '../../../lib/jobs/job.delivery.js';
import type { ClaimedJob } from '../../../lib/jobs/index.js';

const PORT = {
  settle: () => Promise.resolve(),
  extend: () => Promise.resolve(),
  encodeResult: () => '',
};

/** A held delivery, and the reasons that its listener was told. */
function hold(held: HeldJobs, fence: number, id = `job${fence}`) {
  const message = { id, fence, token: String(fence), leaseMs: 1_000 } as ClaimedJob;
  const delivery = new JobDelivery(message, PORT);
  const reasons: Error[] = [];
  delivery.onRevoked((reason) => reasons.push(reason));
  held.add(delivery);
  return { delivery, reasons };
}

test('a voided claim reaches its holder, by fence and not by id', () => {
  const held = new HeldJobs();
  const [first, second] = [hold(held, 1, 'same'), hold(held, 2, 'same')];
  held.revoke(['lost 1 same', 'cancelled 3 same', 'lost 99 other']);
  expect(first.reasons).toHaveLength(1);
  expect(first.reasons[0]).toBeInstanceOf(LeaseLostError);
  expect(second.reasons).toHaveLength(0);
});

test('the reason tells a cancelled job from a lost one', () => {
  const held = new HeldJobs();
  const { reasons } = hold(held, 5);
  held.revoke(['cancelled 5 an id with spaces and 7 digits']);
  expect(reasons[0]).toBeInstanceOf(CancelledError);
});

test('is told once, however often upkeep repeats it, and is held no longer', () => {
  const held = new HeldJobs();
  const { delivery, reasons } = hold(held, 1);
  expect(held.size).toBe(1);
  for (let n = 0; n < 3; n++) held.revoke(['lost 1 job1', 'cancelled 1 job1']);
  expect(reasons).toHaveLength(1);
  expect(held.size).toBe(0);
  delivery.onRevoked((reason) => reasons.push(reason)); // one who listens late hears it, too
  expect(reasons[1]).toBe(reasons[0]);
});

test('what was settled is not revoked', () => {
  const held = new HeldJobs();
  const { delivery, reasons } = hold(held, 1);
  held.remove(delivery);
  held.revoke(['lost 1 job1']);
  expect([held.size, reasons.length]).toEqual([0, 0]);
});
