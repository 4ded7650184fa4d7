import { createJobsEngine, JobDriver, JobQueue, type JobsTyping } from './jobs/index.js';

/** THE list of engines: which ones exist, and what each brings, is read from here everywhere. */
export const ENGINES = Object.freeze({
  jobs: Object.freeze({
    /** The class that applications inject for the verbs of the engine. */
    driver: JobDriver,
    /** Whether messages have a type that `@Process('type')` can name. */
    hasTypes: true,
    create: createJobsEngine,
    /** What `@InjectQueue` injects. */
    openQueue: (driver: JobDriver, name: string) => new JobQueue(name, driver.queue(name)),
  }),
});

/** What a queue definition with the shape `Shape` is typed by, engine by engine. */
export interface EngineTypings<Shape> {
  readonly jobs: JobsTyping<Shape>;
}

/** The name of an engine, as in `@Processor({ engine })` and `defineQueue({ engine })`. */
export type EngineName = keyof typeof ENGINES;

/** Options of one engine (`forRoot({ jobs: … })`). */
export type EngineOptions<Name extends EngineName> = Parameters<
  (typeof ENGINES)[Name]['create']
>[0]['options'];

/** The injectable of one engine. */
export type EngineDriver<Name extends EngineName> = InstanceType<(typeof ENGINES)[Name]['driver']>;

/** What one engine's queue is injected as. */
export type QueueHandle<Name extends EngineName, Shape> = EngineTypings<Shape>[Name]['handle'];

/** All engines by name, in the order of the list. */
export const ENGINE_NAMES: readonly EngineName[] = Object.freeze(
  Object.keys(ENGINES) as EngineName[],
);
