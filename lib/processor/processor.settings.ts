import { type EngineName, ENGINES, type EngineSettings } from '../engines.js';
import {
  checkLoopOptions,
  type LoopOptions,
  type ResolvedLoop,
  type RetryOptions,
} from '../worker/index.js';

/**
 * How a processor works; what is left out (or undefined) comes from the queue's definition, then
 * from the application (`forRoot({ processors })`), then from the defaults.
 */
export type ProcessorSettings = LoopOptions;

/** The names of all processor settings, checked complete by the compiler. */
export const SETTING_NAMES = Object.freeze(
  Object.keys({
    concurrency: true,
    prefetch: true,
    leaseMs: true,
    retry: true,
    timeoutMs: true,
  } satisfies Record<keyof LoopOptions, true>),
);

/** The settings of a processor of one engine. */
export type SettingsOf<Engine extends EngineName> = ProcessorSettings & EngineSettings[Engine];

/** The names of all settings that a processor of an engine may have. */
export function settingNamesOf(engine: EngineName): readonly string[] {
  return [...SETTING_NAMES, ...ENGINES[engine].settingNames];
}

/** Settings that were checked and completed: for the loop, and for the engine's source. */
export interface CheckedSettings {
  readonly loop: ResolvedLoop;
  readonly engine: object;
}

/**
 * Merges layers of settings, the nearest first, and checks the outcome.
 *
 * @param owner goes before the option's name in errors
 * @throws InvalidOptionError naming the option
 */
export function checkSettings(
  engine: EngineName,
  layers: readonly ProcessorSettings[],
  owner: string,
): CheckedSettings {
  const { settingNames, checkSettings: check } = ENGINES[engine];
  const own = new Set<string>(settingNames);
  const merged = Object.entries(mergeSettings(layers));
  const pick = (isOwn: boolean) =>
    Object.fromEntries(merged.filter(([name]) => own.has(name) === isOwn));
  return { loop: checkLoopOptions(pick(false), owner), engine: check(pick(true), owner) };
}

/** Merges layers of settings, the nearest first; `retry` is merged key by key. */
export function mergeSettings(layers: readonly ProcessorSettings[]): ProcessorSettings {
  const merged = firstDefined(layers);
  const retries = layers.map(({ retry }) => retry).filter((retry) => retry !== undefined);
  return retries.length < 2 ? merged : { ...merged, retry: firstDefined<RetryOptions>(retries) };
}

function firstDefined<T extends object>(layers: readonly T[]): T {
  const merged: Partial<T> = {};
  for (const layer of layers) {
    for (const key of Object.keys(layer) as (keyof T)[]) {
      if (merged[key] === undefined) merged[key] = layer[key];
    }
  }
  return merged as T;
}
