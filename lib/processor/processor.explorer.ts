import { Injectable } from '@nestjs/common';
import { DiscoveryService, ModuleRef } from '@nestjs/core';
import { InvalidProcessorError } from '../errors/index.js';
import type { HandlerTarget } from './handler.invoker.js';
import {
  type HandlerMetadata,
  type ProcessorMetadata,
  readHandlers,
  readProcessor,
} from './processor.metadata.js';

/** A processor as it stands in the application. */
export interface FoundProcessor {
  readonly type: object;
  readonly className: string;
  /** The module that provides it. */
  readonly moduleName: string;
  readonly metadata: ProcessorMetadata;
  readonly handlers: readonly HandlerMetadata[];
  readonly target: HandlerTarget;
}

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** Finds the processors of an application and returns them as data; starts nothing. */
@Injectable()
export class ProcessorExplorer {
  constructor(private readonly discovery: DiscoveryService) {}

  /**
   * One entry an instance, whatever number of tokens lead to it.
   *
   * Looks at all providers, since Nest 11's look-up by metadata key misses those of `useFactory`
   * and `useValue`. A request-scoped factory is not found: its class is not known before it runs.
   *
   * @throws InvalidProcessorError for a transient processor, and for handlers without a processor.
   */
  explore(): readonly FoundProcessor[] {
    const found = new Map<object, FoundProcessor>();
    for (const wrapper of this.discovery.getProviders()) {
      const processor = lookAt(wrapper);
      const identity = processor && identityOf(processor);
      if (identity && !found.has(identity)) found.set(identity, processor);
    }
    return [...found.values()];
  }
}

function lookAt(wrapper: Wrapper): FoundProcessor | undefined {
  // An alias stands for a provider that is in the list itself.
  const type = wrapper.isAlias ? undefined : classOf(wrapper);
  if (!type) return undefined;
  const metadata = readProcessor(type);
  const className = type.name || 'an anonymous class';
  const moduleName = wrapper.host?.name ?? 'an unknown module';
  if (!metadata) return refuseHandlers(type, `${className} (in ${moduleName})`);
  const target = targetOf(wrapper, `${className} (in ${moduleName})`);
  return { type, className, moduleName, metadata, handlers: readHandlers(type), target };
}

/** Handlers that would never be called are a slip, and not one to find out in production. */
function refuseHandlers(type: object, place: string): undefined {
  if (readHandlers(type).length === 0) return undefined;
  throw new InvalidProcessorError(`${place} has @Process methods and no @Processor`);
}

function classOf(wrapper: Wrapper): { readonly name: string } | undefined {
  if (isStatic(wrapper)) return classOfInstance(wrapper.instance);
  return wrapper.isNotMetatype ? undefined : (wrapper.metatype ?? undefined);
}

function isStatic(wrapper: Wrapper): boolean {
  return !wrapper.isTransient && wrapper.isDependencyTreeStatic();
}

/** The class of an instance, found without running any getter; a Proxy may refuse even that. */
function classOfInstance(instance: unknown): { readonly name: string } | undefined {
  if (typeof instance !== 'object' || instance === null) return undefined;
  try {
    const prototype: unknown = Object.getPrototypeOf(instance);
    const maker: unknown = prototype
      ? Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
      : undefined;
    return typeof maker === 'function' ? maker : undefined;
  } catch {
    return undefined;
  }
}

function targetOf(wrapper: Wrapper, place: string): HandlerTarget {
  if (isStatic(wrapper)) return { scope: 'application', instance: wrapper.instance as object };
  const moduleRef: unknown = wrapper.host?.getProviderByKey(ModuleRef)?.instance;
  if (wrapper.isTransient || !(moduleRef instanceof ModuleRef)) {
    throw new InvalidProcessorError(
      `${place} is transient: it has no instance of its own; use the default or the request scope`,
    );
  }
  return { scope: 'request', token: wrapper.token, moduleRef };
}

/** What makes two finds one: the instance; a request-scoped provider is only itself. */
function identityOf({ target }: FoundProcessor): object {
  return target.scope === 'application' ? target.instance : target;
}
