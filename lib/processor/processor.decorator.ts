import { type EngineName, ENGINE_NAMES } from '../engines.js';
import { checkKeys, checkOneOf, InvalidOptionError } from '../errors/index.js';
import { writeProcessor } from './processor.metadata.js';
import { type ProcessorSettings, SETTING_NAMES } from './processor.settings.js';
import { DEFAULT_INSTANCE } from './queue.tokens.js';

/** What `@Processor` takes: which queue, and how to work on it. */
export interface ProcessorOptions extends ProcessorSettings {
  /** Which engine the queue belongs to. */
  readonly engine: EngineName;
  /** The queue's name. */
  readonly queue: string;
  /**
   * Which `forRoot` it works for, by `forRoot({ name })`.
   * @default 'default'
   */
  readonly instance?: string;
}

/** Where a decorated class belongs; what `@Processor` and a queue definition have in common. */
interface Placement {
  readonly engine: EngineName;
  readonly queue: string;
  readonly instance: string | undefined;
  readonly layers: readonly ProcessorSettings[];
}

/**
 * Makes a provider class a processor: its `@Process` methods run the messages of a queue.
 *
 * A child class inherits the decorator and the handlers of its parent. Numbers are checked when
 * the application starts, with the class's name in the error.
 *
 * @throws InvalidOptionError for an unknown option, an unknown engine or a missing queue.
 */
export function Processor(options: ProcessorOptions): ClassDecorator {
  checkKeys('@Processor', options, ['engine', 'queue', 'instance', ...SETTING_NAMES]);
  const { engine, queue, instance, ...settings } = options;
  return placeProcessor({ engine, queue, instance, layers: [settings] });
}

/** The decorator behind `@Processor` and `definition.Processor`. */
export function placeProcessor(placement: Placement): ClassDecorator {
  const engine = checkOneOf('@Processor.engine', placement.engine, ENGINE_NAMES);
  const queue = checkText('@Processor.queue', placement.queue);
  const instance = checkText('@Processor.instance', placement.instance ?? DEFAULT_INSTANCE);
  const layers = Object.freeze([...placement.layers]);
  return (type) => writeProcessor(type, Object.freeze({ engine, queue, instance, layers }));
}

function checkText(option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidOptionError(option, 'expected a text that is not empty');
}
