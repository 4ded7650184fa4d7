import type { LoopOptions, RetryOptions } from '../worker/index.js';

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
