import { ENGINE_NAMES, type EngineName, type EngineTypings, type QueueHandle } from '../engines.js';
import { checkKeys, checkOneOf, InvalidOptionError } from '../errors/index.js';
import { type HandlerDecorator, Process } from './process.decorator.js';
import { placeProcessor, type ProcessorOptions } from './processor.decorator.js';
import { type ProcessorSettings, SETTING_NAMES } from './processor.settings.js';

/** What `defineQueue` takes: which queue, and the settings of its processors. */
export interface QueueDefinitionOptions<Engine extends EngineName> extends ProcessorSettings {
  readonly engine: Engine;
  readonly name: string;
}

/** One place that says what a queue carries; its decorators and its handle are typed by it. */
export interface QueueDefinition<Engine extends EngineName, Shape> {
  readonly engine: Engine;
  readonly name: string;
  /** Settings of every processor of this queue; a processor's own go first. */
  readonly settings: ProcessorSettings;
  /** Never set; carries the type. */
  readonly shape?: Shape;
  /** `@Processor` of this queue. */
  Processor(options?: Omit<ProcessorOptions, 'engine' | 'queue'>): ClassDecorator;
  /** `@Process` of this queue: a name that it does not carry does not compile. */
  Process<Type extends keyof Messages<Engine, Shape> & string>(
    type: Type,
  ): HandlerDecorator<Messages<Engine, Shape>[Type]>;
  Process(): HandlerDecorator<Messages<Engine, Shape>[keyof Messages<Engine, Shape>]>;
}

/** The type of the handle that `@InjectQueue(definition)` injects. */
export type QueueOf<Definition> =
  Definition extends QueueDefinition<infer Engine, infer Shape>
    ? QueueHandle<Engine, Shape>
    : never;

type Messages<Engine extends EngineName, Shape> = EngineTypings<Shape>[Engine]['messages'];

// One signature an engine, made from the list: what the type argument means differs by engine.
type DefineQueue = Overloads<{
  [Engine in EngineName]: <Shape extends object>(
    options: QueueDefinitionOptions<Engine>,
  ) => QueueDefinition<Engine, Shape>;
}>;

type Overloads<ByEngine> = {
  [Engine in keyof ByEngine]: (overload: ByEngine[Engine]) => void;
}[keyof ByEngine] extends (overload: infer All) => void
  ? All
  : never;

/**
 * Says once what a queue carries: for a jobs queue the payload of each job type.
 *
 * Settings given here hold for all processors of the definition, below a processor's own.
 *
 * @throws InvalidOptionError for an unknown option or engine, or a missing name.
 */
export const defineQueue: DefineQueue = <Shape extends object>(
  options: QueueDefinitionOptions<EngineName>,
): QueueDefinition<EngineName, Shape> => {
  checkKeys('defineQueue', options, ['engine', 'name', ...SETTING_NAMES]);
  const { engine, name, ...settings } = options;
  checkOneOf('defineQueue.engine', engine, ENGINE_NAMES);
  if (typeof name !== 'string' || name === '') {
    throw new InvalidOptionError('defineQueue.name', 'expected a text that is not empty');
  }
  return Object.freeze({
    engine,
    name,
    settings: Object.freeze(settings),
    Processor: (own: Omit<ProcessorOptions, 'engine' | 'queue'> = {}) =>
      processorOf({ engine, name, ...settings }, own),
    Process,
  });
};

function processorOf(
  { engine, name, ...settings }: QueueDefinitionOptions<EngineName>,
  options: Omit<ProcessorOptions, 'engine' | 'queue'>,
): ClassDecorator {
  checkKeys('@Processor', options, ['instance', ...SETTING_NAMES]);
  const { instance, ...own } = options;
  return placeProcessor({ engine, queue: name, instance, layers: [own, settings] });
}
