import { InvalidProcessorError, ProcessorConflictError } from '../errors/index.js';
import type { FoundProcessor } from './processor.explorer.js';

/** What the checks need to know about an application. */
export interface ProcessorRules {
  /** By name: whether messages have types, and in what processors of one queue may differ. */
  readonly engines: Readonly<Record<string, EngineRules>>;
  /** The names of all `forRoot`s. */
  readonly instances: readonly string[];
}

interface EngineRules {
  readonly hasTypes: boolean;
  /** Processors of one queue are rivals only where they have the same value of this setting. */
  readonly rivalsShare?: string | undefined;
}

/** One handler and where it stands, for comparing handlers of different classes. */
interface Claimant {
  readonly processor: FoundProcessor;
  readonly type: string | undefined;
  readonly place: string;
}

/**
 * Refuses processors that cannot work or would take each other's messages.
 *
 * @throws InvalidProcessorError, ProcessorConflictError naming the classes and their modules.
 */
export function checkProcessors(found: readonly FoundProcessor[], rules: ProcessorRules): void {
  for (const processor of found) checkOne(processor, rules);
  checkProvidedOnce(found);
  for (const claimants of byQueue(found, rules).values()) checkQueue(claimants);
}

function checkOne(processor: FoundProcessor, { engines, instances }: ProcessorRules): void {
  const { handlers, metadata } = processor;
  const refuse = (problem: string) => new InvalidProcessorError(`${placeOf(processor)} ${problem}`);
  if (handlers.length === 0) throw refuse('has no @Process method');
  if (!instances.includes(metadata.instance)) {
    throw refuse(
      `names the instance "${metadata.instance}"; there is no RedisQueueModule.forRoot of that ` +
        `name (known: ${instances.join(', ') || 'none'})`,
    );
  }
  const typed = handlers.find(({ type }) => type !== undefined);
  if (typed && !engines[metadata.engine]?.hasTypes) {
    throw refuse(
      `handles the type "${typed.type}", but messages of the ${metadata.engine} engine have no ` +
        'types: use @Process() alone',
    );
  }
  const accessor = handlers.find(({ method }) => !isMethod(processor.type, method));
  if (accessor) throw refuse(`has no method ${String(accessor.method)}`);
}

/** Whether a class (or a parent) has a plain method of that name; runs no getter. */
function isMethod(type: object, method: string | symbol): boolean {
  let holder = (type as { prototype?: unknown }).prototype;
  while (typeof holder === 'object' && holder !== null) {
    const property = Object.getOwnPropertyDescriptor(holder, method);
    if (property) return typeof property.value === 'function';
    holder = Object.getPrototypeOf(holder);
  }
  return false;
}

function checkProvidedOnce(found: readonly FoundProcessor[]): void {
  const first = new Map<object, FoundProcessor>();
  for (const processor of found) {
    const other = first.get(processor.type);
    if (other) {
      throw new ProcessorConflictError(
        `${processor.className} is provided twice: in ${other.moduleName} and in ` +
          `${processor.moduleName}; provide it in one module (useExisting makes a second token)`,
      );
    }
    first.set(processor.type, processor);
  }
}

function byQueue(
  found: readonly FoundProcessor[],
  { engines }: ProcessorRules,
): Map<string, Claimant[]> {
  const queues = new Map<string, Claimant[]>();
  for (const processor of found) {
    const { instance, engine, queue } = processor.metadata;
    const shared = settingOf(processor, engines[engine]?.rivalsShare);
    // what is no text is refused by its engine, which has not looked at it yet
    const value = typeof shared === 'string' ? shared : null;
    const key = JSON.stringify([instance, engine, queue, value]);
    const claimants = processor.handlers.map(({ type, method }) => ({
      processor,
      type,
      place: `${processor.className}.${String(method)} (in ${processor.moduleName})`,
    }));
    queues.set(key, [...(queues.get(key) ?? []), ...claimants]);
  }
  return queues;
}

function settingOf({ metadata }: FoundProcessor, name: string | undefined): unknown {
  if (name === undefined) return null;
  const layers = metadata.layers as readonly Readonly<Record<string, unknown>>[];
  return layers.find((layer) => layer[name] !== undefined)?.[name] ?? null;
}

function checkQueue(claimants: readonly Claimant[]): void {
  const catchAll = claimants.find(({ type }) => type === undefined);
  const rival = catchAll && claimants.find((other) => other !== catchAll);
  if (rival) throw conflict(catchAll, rival, 'a @Process() for everything takes the jobs of both');
  const byType = new Map<string | undefined, Claimant>();
  for (const claimant of claimants) {
    const other = byType.get(claimant.type);
    if (other) throw conflict(other, claimant, `both handle the type "${claimant.type}"`);
    byType.set(claimant.type, claimant);
  }
}

function conflict(one: Claimant, other: Claimant, problem: string): ProcessorConflictError {
  const { engine, queue } = one.processor.metadata;
  return new ProcessorConflictError(
    `${one.place} and ${other.place} on the ${engine} queue "${queue}": ${problem}`,
  );
}

function placeOf({ className, moduleName }: FoundProcessor): string {
  return `${className} (in ${moduleName})`;
}
