// A consumer process: takes entries and settles none of them, or takes one and exits.
import { StreamConsumer } from '../../../../lib/streams/index.js';

/** What a test tells its consumer process. */
export interface ReaderSetup {
  readonly url: string;
  readonly prefix: string;
  readonly queue: string;
  readonly leaseMs: number;
  readonly prefetch: number;
  readonly maxDeliveries?: number;
  /** Exits hard with the first entry of this body. */
  readonly exitOn?: string;
}

const { exitOn, ...setup } = JSON.parse(process.env.SETUP!) as ReaderSetup;
const logger = { log() {}, warn() {}, error() {} };
const consumer = new StreamConsumer({ ...setup, logger, blockMs: 100 });
let taken = 0;
process.stdout.write('ready\n');
for await (const one of consumer.deliveries()) {
  if (one.body.toString() === exitOn) process.exit(1);
  taken += 1;
  if (exitOn !== undefined) await one.ack();
  if (taken === 500) process.stdout.write('taken\n');
}
