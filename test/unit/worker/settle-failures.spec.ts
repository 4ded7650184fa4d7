import {
  CommandTimeoutError,
  LeaseLostError,
  NotConnectedError,
  ReplyLostError,
} from '../../../lib/errors/index.js';
import { eventually } from '../../support/eventually.js';
import { endLoops, startLoop } from './loop-fixture.js';
import { FakeDelivery } from './scripted-source.js';

describe('a settle that fails', () => {
  afterEach(endLoops);

  async function settled(failures: Error[], leaseMs = 30_000) {
    const started = startLoop(() => 'done');
    const delivery = new FakeDelivery({ leaseMs });
    delivery.failures.push(...failures);
    started.source.bring(delivery);
    await eventually(() => delivery.calls.length > 0 && started.loop.health().unsettled === 0);
    return { ...started, delivery };
  }

  it('since the lease was lost is one warning and nothing else', async () => {
    const { delivery, logger } = await settled([new LeaseLostError('too late')]);
    expect(delivery.verbs).toEqual(['ack']);
    expect(logger.lines).toHaveLength(1);
    expect(logger.of('warn')[0]).toContain('too late');
  });

  it('since the connection is down is tried again, with one line each way', async () => {
    const down = new NotConnectedError('down');
    const { delivery, logger } = await settled([down, down, down]);
    expect(delivery.verbs).toEqual(['ack', 'ack', 'ack', 'ack']);
    expect(logger.lines.map(({ level }) => level)).toEqual(['error', 'log']);
  });

  it('whose reply was lost and which then finds the lease gone says nothing more', async () => {
    const failures = [new ReplyLostError('cut'), new LeaseLostError('settled before')];
    const { delivery, logger } = await settled(failures);
    expect(delivery.verbs).toEqual(['ack', 'ack']);
    expect(logger.of('warn')).toEqual([]);
  });

  it('for good is an error line, the lease brings the message back', async () => {
    const { delivery, logger } = await settled([new TypeError('a bug')]);
    expect(delivery.verbs).toEqual(['ack']);
    expect(logger.of('error')).toEqual([expect.stringContaining('brings it back: a bug')]);
  });

  it('is given up when the lease is over', async () => {
    const failures = Array.from({ length: 100 }, () => new CommandTimeoutError('no answer'));
    const { logger, delivery } = await settled(failures, 60);
    expect(delivery.verbs.length).toBeGreaterThan(2);
    expect(logger.of('error').at(-1)).toContain('brings it back');
  });

  it('does not hold up the next claim', async () => {
    const { source, loop } = startLoop(() => 'done');
    const delivery = new FakeDelivery();
    delivery.ack = () => new Promise(() => undefined);
    source.bring(delivery);
    await eventually(() => source.limits.length === 2);
    expect(loop.health()).toMatchObject({ running: 0, unsettled: 1 });
  });

  it('that throws at once is no different', async () => {
    const { source, logger } = startLoop(() => 'done');
    const delivery = new FakeDelivery();
    delivery.ack = () => {
      throw new Error('at once');
    };
    source.bring(delivery);
    await eventually(() => logger.of('error').length === 1);
  });
});
