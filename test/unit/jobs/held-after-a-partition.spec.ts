import { jest } from '@jest/globals';
import { HeldJobs } from '../../../lib/jobs/held-jobs.js';
import { JobDelivery, type DeliveryPort } from '../../../lib/jobs/job.delivery.js';
import type { ClaimedJob } from '../../../lib/jobs/job.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a delivery whose lease has long been over is let go of', () => {
  const held = new HeldJobs();
  const job = { id: 'a', fence: 1, leaseMs: 1_000 } as ClaimedJob;
  held.add(new JobDelivery(job, {} as DeliveryPort));
  jest.advanceTimersByTime(30_000);
  held.revoke([]);
  expect(held.size).toBe(1);
  jest.advanceTimersByTime(32_000);
  held.revoke([]);
  expect(held.size).toBe(0);
});
