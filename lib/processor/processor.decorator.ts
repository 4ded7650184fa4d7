import { type EngineName, ENGINE_NAMES, ENGINES, type EngineTargets } from '../engines.js';
import { checkKeys, checkOneOf, checkRecord, InvalidOptionError } from '../errors/index.js';
import { writeProcessor } from './processor.metadata.js';
import { type ProcessorSettings, settingNamesOf, type SettingsOf } from './processor.settings.js';
import { DEFAULT_INSTANCE } from './queue.tokens.js';

/** What `@Processor` takes: which queue, in the word of its engine, and how to work on it. */
export type ProcessorOptions = {
  [Engine in EngineName]: ProcessorPlace<Engine> & EngineTargets[Engine] & SettingsOf<Engine>;
}[EngineName];

/** Which engine and which `forRoot` a processor works for. */
export interface ProcessorPlace<Engine extends EngineName> extends ProcessorInstance {
  /** Which engine the queue belongs to. */
  readonly engine: Engine;
}

/** Which `forRoot` a processor works for. */
export interface ProcessorInstance {
  /**
   * By `forRoot({ name })`.
   * @default 'default'
   */
  readonly instance?: string;
}

/** Where a decorated class belongs; what `@Processor` and a queue definition have in common. */
interface Placement {
  readonly engine: EngineName;
  readonly queue: string;
  readonly instance: unknown;
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
  const { engine, instance, ...rest } = checkRecord('@Processor', options);
  const name = checkOneOf('@Processor.engine', engine, ENGINE_NAMES);
  const { targetOption, targetsOption } = ENGINES[name];
  checkKeys('@Processor', options, ['engine', targetOption, 'instance', ...settingNamesOf(name)]);
  const { [targetOption]: target, ...settings } = rest;
  const several = targetsOption && settings[targetsOption];
  const place = several === undefined ? target : placesAsOne(several, target);
  const queue = checkText(`@Processor.${targetOption}`, place);
  return placeProcessor({ engine: name, queue, instance, layers: [settings] });
}

/** The decorator behind `@Processor` and `definition.Processor`. */
export function placeProcessor(placement: Placement): ClassDecorator {
  const { engine, queue } = placement;
  const instance = checkText('@Processor.instance', placement.instance ?? DEFAULT_INSTANCE);
  const layers = Object.freeze([...placement.layers]);
  return (type) => writeProcessor(type, Object.freeze({ engine, queue, instance, layers }));
}

/** Several places as health and logs name them; the engine checks them one by one. */
function placesAsOne(several: unknown, one: unknown): unknown {
  if (one !== undefined) throw new InvalidOptionError('@Processor', 'give either queue or queues');
  return Array.isArray(several) ? several.join(', ') : several;
}

function checkText(option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidOptionError(option, 'expected a text that is not empty');
}
