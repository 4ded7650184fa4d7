import 'reflect-metadata';
import { InvalidProcessorError } from '../errors/index.js';
import type { ProcessorSettings } from './processor.settings.js';

/** A class whose instances are processors; abstract ones may be parents. */
export type ProcessorClass = abstract new (...args: never[]) => object;

/** What `@Processor` leaves on its class. */
export interface ProcessorMetadata {
  readonly engine: string;
  readonly queue: string;
  readonly instance: string;
  /** Settings, the nearest first: the processor's own, then those of the queue definition. */
  readonly layers: readonly ProcessorSettings[];
}

/** What `@Process` leaves on the class of its method; `type` is undefined for a catch-all. */
export interface HandlerMetadata {
  readonly method: string | symbol;
  readonly type: string | undefined;
}

// Texts and not Symbol(): two copies of the library in one process must still meet.
const PROCESSOR_KEY = 'nest-redis-queue:processor';
const HANDLERS_KEY = 'nest-redis-queue:handlers';

/** Marks a class as a processor. */
export function writeProcessor(type: object, metadata: ProcessorMetadata): void {
  Reflect.defineMetadata(PROCESSOR_KEY, metadata, type);
}

/** The processor metadata of a class; a child class without its own has its parent's. */
export function readProcessor(type: object): ProcessorMetadata | undefined {
  return Reflect.getMetadata(PROCESSOR_KEY, type) as ProcessorMetadata | undefined;
}

/** Adds a handler to the class's own list: a copy, so that a parent's list never changes. */
export function addHandler(type: object, handler: HandlerMetadata): void {
  Reflect.defineMetadata(HANDLERS_KEY, [...ownHandlers(type), handler], type);
}

/**
 * The handlers of a class and its parents, parents first.
 *
 * A method decorated again in a child has the child's types; one that is only overridden keeps
 * its parent's.
 */
export function readHandlers(type: object): readonly HandlerMetadata[] {
  const parent: unknown = Object.getPrototypeOf(type);
  const inherited = typeof parent === 'function' ? readHandlers(parent) : [];
  const own = ownHandlers(type);
  const redecorated = new Set(own.map(({ method }) => method));
  return [...inherited.filter(({ method }) => !redecorated.has(method)), ...own];
}

/** The class of a decorated method; a static method has no instance to be called on. */
export function classOfMethod(target: object, method: string | symbol): object {
  if (typeof target === 'function') {
    throw new InvalidProcessorError(
      `${target.name}.${String(method)} is static; @Process belongs on a method of the instance`,
    );
  }
  return target.constructor;
}

function ownHandlers(type: object): readonly HandlerMetadata[] {
  const own = Reflect.getOwnMetadata(HANDLERS_KEY, type) as readonly HandlerMetadata[] | undefined;
  return own ?? [];
}
