import {
  ENGINE_NAMES,
  type EngineName,
  ENGINES,
  type EngineShapes,
  type EngineTargets,
  type EngineTypings,
  type QueueHandle,
} from '../engines.js';
import { checkKeys, checkOneOf, checkRecord, InvalidOptionError } from '../errors/index.js';
import { type HandlerDecorator, Process } from './process.decorator.js';
import { placeProcessor, type ProcessorInstance } from './processor.decorator.js';
import { type ProcessorSettings, settingNamesOf, type SettingsOf } from './processor.settings.js';

/**
 * What `defineQueue` takes: which queue, and the settings of its processors. The queue's name is
 * given as `name`, or by the word that `@Processor` of the engine has for it (`topic`).
 */
export type QueueDefinitionOptions<Engine extends EngineName> = {
  readonly engine: Engine;
} & ({ readonly name: string } | EngineTargets[Engine]) &
  SettingsOf<Engine>;

/** One place that says what a queue carries; its decorators and its handle are typed by it. */
export interface QueueDefinition<Engine extends EngineName, Shape> {
  readonly engine: Engine;
  readonly name: string;
  /** Settings of every processor of this queue; a processor's own go first. */
  readonly settings: ProcessorSettings;
  /** Never set; carries the type. */
  readonly shape?: Shape;
  /** `@Processor` of this queue. */
  Processor(options?: ProcessorInstance & SettingsOf<Engine>): ClassDecorator;
  /** `@Process` of this queue: a name that it does not carry does not compile. */
  Process<Type extends keyof Messages<Engine, Shape> & string>(
    type: Type,
  ): HandlerDecorator<Messages<Engine, Shape>[Type]>;
  /** `@Process` of everything in this queue. */
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
  [Engine in EngineName]: <Shape extends EngineShapes[Engine]>(
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
export const defineQueue = (<Shape extends object>(
  options: QueueDefinitionOptions<EngineName>,
): QueueDefinition<EngineName, Shape> => {
  const { engine, name, settings } = checkDefinition(options);
  return Object.freeze({
    engine,
    name,
    settings: Object.freeze(settings),
    Processor: (own: ProcessorInstance & ProcessorSettings = {}) =>
      processorOf({ engine, name, settings }, own),
    Process,
  });
  // which engine it is decides the signature, as the list of overloads says
}) as DefineQueue;

type Definition = Pick<QueueDefinition<EngineName, unknown>, 'engine' | 'name' | 'settings'>;

function checkDefinition(options: QueueDefinitionOptions<EngineName>): Definition {
  const { engine: given, name, ...rest } = checkRecord('defineQueue', options);
  const engine = checkOneOf('defineQueue.engine', given, ENGINE_NAMES);
  const { targetOption } = ENGINES[engine];
  checkKeys('defineQueue', options, ['engine', 'name', targetOption, ...settingNamesOf(engine)]);
  const { [targetOption]: target, ...settings } = rest;
  if (name !== undefined && target !== undefined) {
    throw new InvalidOptionError('defineQueue.name', `give either name or ${targetOption}`);
  }
  return { engine, name: checkText('defineQueue.name', name ?? target), settings };
}

function checkText(option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidOptionError(option, 'expected a text that is not empty');
}

function processorOf(
  { engine, name, settings }: Definition,
  options: ProcessorInstance & ProcessorSettings,
): ClassDecorator {
  checkKeys('@Processor', options, ['instance', ...settingNamesOf(engine)]);
  const { instance, ...own } = options;
  return placeProcessor({ engine, queue: name, instance, layers: [own, settings] });
}
