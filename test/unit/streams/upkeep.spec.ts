import type { RedisConnection } from '../../../lib/redis/index.js';
import { StreamUpkeep } from '../../../lib/streams/stream-upkeep.js';
import type { StreamsCore } from '../../../lib/streams/streams.core.js';
import { STREAMS_DEFAULTS } from '../../../lib/streams/index.js';
import { eventually } from '../../support/eventually.js';

type Evaluate = RedisConnection['evaluate'];

function upkeepOn(evaluate: Evaluate, groups: readonly string[]): StreamUpkeep {
  const core = { connection: { evaluate }, prefix: 'x', settings: STREAMS_DEFAULTS };
  return new StreamUpkeep(core as unknown as StreamsCore, 'q', groups);
}

describe('upkeep of a stream', () => {
  test.each([
    ['joins its groups', ['g']],
    ['does its own work', []],
  ])('that %s ends its waits when it is stopped', async (_, groups) => {
    let calls = 0;
    const evaluate: Evaluate = (_script, _keys, _args, options) => {
      calls++;
      return new Promise((_resolve, reject) =>
        options!.signal!.addEventListener('abort', () => reject(new Error('stopped'))),
      );
    };
    const stop = new AbortController();
    const running = upkeepOn(evaluate, groups).run(stop.signal);
    await eventually(() => calls === 1);
    stop.abort();
    await expect(running).rejects.toThrow('stopped');
  });
});
