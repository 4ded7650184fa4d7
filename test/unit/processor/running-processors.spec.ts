import type { Engine, HandlerLogger } from '../../../lib/contract/index.js';
import {
  type FoundProcessor,
  type LoopPlan,
  Process,
  Processor,
  ProcessorRunner,
} from '../../../lib/processor/index.js';
import { readHandlers, readProcessor } from '../../../lib/processor/processor.metadata.js';
import { MemoryEngine } from '../../../lib/testing/index.js';

const lines: string[] = [];
const logger: HandlerLogger = {
  log: (line) => void lines.push(String(line)),
  warn: () => undefined,
  error: () => undefined,
};
const engine = new MemoryEngine();
const runners = new Set<ProcessorRunner>();

afterEach(async () => {
  await Promise.all([...runners].map((runner) => runner.drain(100)));
  runners.clear();
  lines.splice(0);
});

function runnerOn(jobs: Engine, application = {}): ProcessorRunner {
  const runner = new ProcessorRunner({ engines: { jobs }, settings: () => [application], logger });
  runners.add(runner);
  return runner;
}

function found(type: new () => object): FoundProcessor {
  const metadata = readProcessor(type)!;
  const target = { scope: 'application', instance: new type() } as const;
  const handlers = readHandlers(type);
  return { type, className: type.name, moduleName: 'App', metadata, handlers, target };
}

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe('planning', () => {
  @Processor({ engine: 'jobs', queue: 'typed', concurrency: 3, prefetch: 2, leaseMs: 900 })
  class Typed {
    @Process('a') a(): void {}
    @Process('b') @Process('c') both(): void {}
  }
  @Processor({ engine: 'jobs', queue: 'all' })
  class All {
    @Process() run(): void {}
  }

  it('says what to claim, with the attempts of messages that name none', () => {
    const [plan] = runnerOn(engine, { retry: { attempts: 7 } }).plan([found(Typed)]);
    expect(plan?.target).toMatchObject({ queue: 'typed', slots: 5, leaseMs: 900, attempts: 7 });
    expect([...(plan?.target.types ?? [])].sort()).toEqual(['a', 'b', 'c']);
  });

  it('names no types where everything is claimed', () => {
    const [plan] = runnerOn(engine).plan([found(All)]);
    expect(plan?.target).toEqual({ queue: 'all', slots: 1, leaseMs: 30_000, attempts: 3 });
  });

  it('opens and starts nothing, and a source that cannot be opened starts no loop', () => {
    const broken = {
      ...engine,
      name: 'jobs',
      source: () => {
        throw new Error('no such queue');
      },
    };
    const runner = runnerOn(broken as unknown as Engine);
    const plans: readonly LoopPlan[] = runner.plan([found(All)]);
    expect(() => runner.open(plans)).toThrow('no such queue');
    runner.start();
    expect(runner.health()).toEqual([]);
    expect(lines).toEqual([]);
  });
});

describe('running', () => {
  it('calls the method on its instance, with message and context, and keeps the result', async () => {
    const seen: unknown[] = [];
    @Processor({ engine: 'jobs', queue: 'calls' })
    class Calls {
      private readonly own = 'mine';
      @Process() run(message: { payload: unknown }, context: { attempt: number }): void {
        seen.push(this.own, message.payload, context.attempt);
      }
    }
    const runner = runnerOn(engine);
    runner.open(runner.plan([found(Calls)]));
    runner.start();
    const id = engine.produce('calls', { n: 1 });
    await until(() => engine.stateOf('calls', id) === 'done');
    expect(seen).toEqual(['mine', { n: 1 }, 1]);
    expect(lines).toEqual(['Calls claims everything from the memory queue "calls", concurrency 1']);
  });

  it('fails a message that a source brought though no method handles its type', async () => {
    @Processor({ engine: 'jobs', queue: 'strange', retry: { attempts: 1 } })
    class Strange {
      @Process('known') run(): void {}
    }
    const runner = runnerOn(engine);
    runner.open(runner.plan([found(Strange)]));
    runner.start();
    engine.produce('strange', 1);
    const letters = engine.deadLetters('strange');
    let reason: string | undefined;
    while (reason === undefined) {
      reason = (await letters.list())[0]?.reason;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(reason).toContain('Strange has no @Process');
  });
});
