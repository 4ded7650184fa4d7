import { Inject } from '@nestjs/common';
import { ENGINE_NAMES, type EngineName } from '../engines.js';
import { checkOneOf, InvalidOptionError } from '../errors/index.js';

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

/**
 * A queue reference in full; a name alone means a jobs queue.
 *
 * @throws InvalidOptionError when it names no queue of an engine that exists.
 */
export function refer(queue: QueueReference): {
  readonly engine: EngineName;
  readonly name: string;
} {
  if (typeof queue === 'string') return { engine: 'jobs', name: checkName('queue', queue) };
  if (typeof queue !== 'object' || queue === null) {
    throw new InvalidOptionError('queue', 'expected a name, a definition or { engine, name }');
  }
  const engine = checkOneOf('queue.engine', queue.engine, ENGINE_NAMES);
  return { engine, name: checkName('queue.name', queue.name) };
}

function checkName(option: string, name: unknown): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new InvalidOptionError(option, 'expected a text that is not empty');
}

/** Injection token of what one `forRoot` brings into being. */
export function getInstanceToken(instance: string): string {
  return token('instance', instance);
}

// JSON keeps the parts apart whatever characters the names hold.
function token(kind: string, ...parts: readonly string[]): string {
  return `nest-redis-queue:${kind}:${JSON.stringify(parts)}`;
}
