import { Observable } from 'rxjs';
import type { BrokerMessage } from './message.js';
import type { QueueWatcher } from './queue.watcher.js';
import type { ObserveOptions, WatchOptions } from './watch.options.js';

/** A cold Observable over a watcher: one a subscription, stopped with it. */
export function observeQueue<Body>(
  watch: (options: WatchOptions<Body>) => QueueWatcher<Body>,
  options: ObserveOptions,
): Observable<BrokerMessage<Body>> {
  return new Observable((subscriber) => {
    const handler = (message: BrokerMessage<Body>) => subscriber.next(message);
    const watcher = watch({ ...options, handler });
    watcher.done.then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
    return () => void watcher.stop();
  });
}
