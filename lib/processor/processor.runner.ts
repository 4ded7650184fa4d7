import type {
  Engine,
  HandlerLogger,
  LoopTarget,
  Message,
  ProcessContext,
} from '../contract/index.js';
import { type EngineName, ENGINES } from '../engines.js';
import { InvalidProcessorError } from '../errors/index.js';
import { ClaimLoop, type LoopHealth, type ResolvedLoop } from '../worker/index.js';
import { HandlerInvoker, type HandlerRef } from './handler.invoker.js';
import type { FoundProcessor } from './processor.explorer.js';
import {
  checkSettings,
  type CheckedSettings,
  type ProcessorSettings,
} from './processor.settings.js';

/** What a runner needs of its application. */
export interface RunnerSetup {
  /** By the names that processors give. */
  readonly engines: Readonly<Record<string, Engine>>;
  /** The application's settings for processors of an engine, the nearest first. */
  readonly settings: (engine: EngineName) => readonly ProcessorSettings[];
  readonly logger: HandlerLogger;
}

/** One claim loop before it runs: a processor, its engine, and what to claim. */
export interface LoopPlan {
  readonly processor: FoundProcessor;
  readonly engine: Engine;
  readonly target: LoopTarget & { readonly types?: readonly string[] };
  readonly options: ResolvedLoop;
}

/** What one processor's claim loop is doing. */
export interface ProcessorHealth extends LoopHealth {
  /** The class. */
  readonly processor: string;
  readonly engine: string;
  readonly queue: string;
  /** The job types it claims; `null` is everything. */
  readonly types: readonly string[] | null;
}

/** Starts the claim loops of one application and drains them. */
export class ProcessorRunner {
  private readonly invoker = new HandlerInvoker();
  private readonly loops: { readonly plan: LoopPlan; readonly loop: ClaimLoop }[] = [];

  constructor(private readonly setup: RunnerSetup) {}

  /**
   * Works out the loops without starting one.
   *
   * @throws InvalidOptionError naming the class and its option.
   */
  plan(found: readonly FoundProcessor[]): readonly LoopPlan[] {
    return found.map((processor) => {
      const engineName = processor.metadata.engine as EngineName;
      const layers = [...processor.metadata.layers, ...this.setup.settings(engineName)];
      const settings = checkSettings(engineName, layers, `${processor.className}.`);
      const engine = this.setup.engines[engineName];
      return { processor, engine, target: targetOf(processor, settings), options: settings.loop };
    });
  }

  /**
   * Makes a claim loop a plan, without starting one.
   *
   * @throws InvalidOptionError for a queue or type name that the engine refuses.
   */
  open(plans: readonly LoopPlan[]): void {
    this.loops.push(...plans.map((plan) => ({ plan, loop: this.openLoop(plan) })));
  }

  /** Starts the loops, each with a line in the log. */
  start(): void {
    for (const { plan, loop } of this.loops) {
      loop.start();
      this.setup.logger.log(describe(plan));
    }
  }

  /**
   * Stops claiming at once, waits up to `graceMs` for what runs, then aborts and gives back the
   * rest. Safe to repeat.
   */
  async drain(graceMs: number): Promise<void> {
    await Promise.all(this.loops.map(({ loop }) => loop.drain(graceMs)));
  }

  /** What each loop is doing. */
  health(): readonly ProcessorHealth[] {
    return this.loops.map(({ plan, loop }) => ({
      processor: plan.processor.className,
      engine: plan.engine.name,
      queue: plan.target.queue,
      types: plan.target.types ?? null,
      ...loop.health(),
    }));
  }

  private openLoop({ processor, engine, target, options }: LoopPlan): ClaimLoop {
    const handlerOf = handlerFinder(processor);
    return new ClaimLoop({
      name: `${engine.name}:${target.queue}:${processor.className}`,
      source: engine.source(target),
      handler: (message: Message, context: ProcessContext) =>
        this.invoker.invoke(handlerOf(message), message, context),
      options,
      logger: this.setup.logger,
    });
  }
}

function targetOf(
  { metadata, handlers }: FoundProcessor,
  settings: CheckedSettings,
): LoopPlan['target'] {
  const { concurrency, prefetch, leaseMs, retry } = settings.loop;
  const slots = concurrency + prefetch;
  const target = { ...settings.engine, queue: metadata.queue, slots, leaseMs };
  const types = handlers.map(({ type }) => type).filter((type) => type !== undefined);
  const attempts = retry.attempts;
  return types.length === 0 ? { ...target, attempts } : { ...target, attempts, types };
}

/** Finds the handler of a message: by its type, or the one for everything. */
function handlerFinder({ className, handlers, target }: FoundProcessor) {
  const byType = new Map<string | undefined, HandlerRef>(
    handlers.map(({ type, method }) => [type, { target, method }]),
  );
  const catchAll = byType.get(undefined);
  return (message: Message): HandlerRef => {
    const handler = catchAll ?? byType.get(message.name);
    if (handler) return handler;
    throw new InvalidProcessorError(`${className} has no @Process('${message.name}')`);
  };
}

function describe({ processor, engine, target, options }: LoopPlan): string {
  const wanted = target.types?.join(', ') ?? 'everything';
  const word = ENGINES[processor.metadata.engine as EngineName].targetOption;
  return (
    `${processor.className} claims ${wanted} from the ${engine.name} ${word} ` +
    `"${target.queue}", ` +
    `concurrency ${options.concurrency}`
  );
}
