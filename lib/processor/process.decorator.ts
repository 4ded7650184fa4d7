import type { ProcessContext } from '../contract/index.js';
import { InvalidOptionError, InvalidProcessorError } from '../errors/index.js';
import { addHandler, classOfMethod } from './processor.metadata.js';

/**
 * Decorates a method that takes `(message, context)`; another message type does not compile.
 *
 * @typeParam Method the decorated method's own type
 */
export type HandlerDecorator<Message> = <
  Method extends (message: Message, context: ProcessContext) => unknown,
>(
  target: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Makes a method of a `@Processor` class the handler of one job type, or of everything when no
 * type is named. A method may handle several types: decorate it once for each.
 *
 * @throws InvalidOptionError for a type that is no text; InvalidProcessorError on a getter or a
 * static method.
 */
export function Process(type?: string): HandlerDecorator<never> {
  if (type !== undefined && (typeof type !== 'string' || type === '')) {
    throw new InvalidOptionError('@Process', 'expected a type that is a text and not empty');
  }
  return (target, method, descriptor) => {
    const owner = classOfMethod(target, method);
    if (typeof descriptor?.value !== 'function') {
      throw new InvalidProcessorError(`@Process belongs on a method; ${String(method)} is none`);
    }
    addHandler(owner, { method, type });
  };
}
