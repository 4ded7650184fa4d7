import { Inject } from '@nestjs/common';
import type { EngineName } from '../engines.js';

/** The name of a `forRoot` that was given none. */
export const DEFAULT_INSTANCE = 'default';

/** Names a queue: its definition, `{ engine, name }`, or its name alone for a jobs queue. */
export type QueueReference = string | { readonly engine: EngineName; readonly name: string };

/** Injection token of the queue handle that `forFeature` provides. */
export function getQueueToken(queue: QueueReference, instance = DEFAULT_INSTANCE): string {
  const { engine, name } = refer(queue);
  return token('queue', instance, engine, name);
}

/** Injection token of an engine's driver, for example of the `JobDriver` of a named instance. */
export function getEngineToken(engine: EngineName, instance = DEFAULT_INSTANCE): string {
  return token('engine', instance, engine);
}

/** Injection token of the `QueueService` of a named instance. */
export function getQueueServiceToken(instance = DEFAULT_INSTANCE): string {
  return token('service', instance);
}

/** Injects a queue's handle: `@InjectQueue(emails) queue: QueueOf<typeof emails>`. */
export function InjectQueue(
  queue: QueueReference,
  instance?: string,
): ParameterDecorator & PropertyDecorator {
  return Inject(getQueueToken(queue, instance));
}

/** A queue reference in full; a name alone means a jobs queue. */
export function refer(queue: QueueReference): {
  readonly engine: EngineName;
  readonly name: string;
} {
  return typeof queue === 'string' ? { engine: 'jobs', name: queue } : queue;
}

/** Injection token of what one `forRoot` brings into being. */
export function getInstanceToken(instance: string): string {
  return token('instance', instance);
}

// JSON keeps the parts apart whatever characters the names hold.
function token(kind: string, ...parts: readonly string[]): string {
  return `nest-redis-queue:${kind}:${JSON.stringify(parts)}`;
}
