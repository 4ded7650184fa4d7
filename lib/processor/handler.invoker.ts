import { ContextIdFactory, type ModuleRef } from '@nestjs/core';
import type { InjectionToken } from '@nestjs/common';
import type { Message, ProcessContext } from '../contract/index.js';

/** Where a handler's object comes from: it is there already, or is made for each message. */
export type HandlerTarget =
  | { readonly scope: 'application'; readonly instance: object }
  | { readonly scope: 'request'; readonly token: InjectionToken; readonly moduleRef: ModuleRef };

/** One `@Process` method of one processor. */
export interface HandlerRef {
  readonly target: HandlerTarget;
  readonly method: string | symbol;
}

type Methods = Record<string | symbol, (message: Message, context: ProcessContext) => unknown>;

/**
 * Calls handlers: the seam between the claim loops and Nest.
 *
 * A request-scoped processor gets a new instance a message, in a context of its own where
 * `@Inject(REQUEST)` is the message; Nest lets go of it when the run is over.
 */
export class HandlerInvoker {
  /** Runs one message; a constructor that throws fails the run as the handler would. */
  invoke({ target, method }: HandlerRef, message: Message, context: ProcessContext): unknown {
    if (target.scope === 'application') {
      return (target.instance as Methods)[method](message, context);
    }
    return makeFor(message, target).then((methods) => methods[method](message, context));
  }
}

async function makeFor(
  message: Message,
  { token, moduleRef }: HandlerTarget & { scope: 'request' },
): Promise<Methods> {
  const contextId = ContextIdFactory.create();
  moduleRef.registerRequestByContextId(message, contextId);
  return moduleRef.resolve<Methods>(token as string, contextId, { strict: true });
}
