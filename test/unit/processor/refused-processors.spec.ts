import { checkProcessors, Process, Processor } from '../../../lib/processor/index.js';
import type { FoundProcessor } from '../../../lib/processor/index.js';
import { readHandlers, readProcessor } from '../../../lib/processor/processor.metadata.js';

const RULES = {
  engines: { jobs: { hasTypes: true }, groups: { hasTypes: false } },
  instances: ['default', 'second'],
};

type Class = new () => object;

function found(type: Class, moduleName = `${type.name}Module`): FoundProcessor {
  const metadata = readProcessor(type)!;
  const target = { scope: 'application', instance: new type() } as const;
  return { type, className: type.name, moduleName, metadata, handlers: readHandlers(type), target };
}

function check(...processors: FoundProcessor[]) {
  return () => checkProcessors(processors, RULES);
}

@Processor({ engine: 'jobs', queue: 'mail' })
class Welcome {
  @Process('welcome') run(): void {}
}

@Processor({ engine: 'jobs', queue: 'mail' })
class Digest {
  @Process('digest') run(): void {}
}

@Processor({ engine: 'jobs', queue: 'mail' })
class Everything {
  @Process() run(): void {}
}

describe('processors that cannot work together', () => {
  it('lets two classes share a queue by type', () => {
    expect(check(found(Welcome), found(Digest))).not.toThrow();
  });

  it('refuses two handlers of one type, naming both places', () => {
    @Processor({ engine: 'jobs', queue: 'mail' })
    class Greeting {
      @Process('welcome') greet(): void {}
    }
    expect(check(found(Welcome), found(Greeting))).toThrow(
      expect.objectContaining({
        name: 'ProcessorConflictError',
        message: expect.stringMatching(
          /Welcome\.run \(in WelcomeModule\) and Greeting\.greet \(in GreetingModule\).*"mail".*"welcome"/,
        ) as string,
      }) as Error,
    );
  });

  it('refuses a duplicate type within one class', () => {
    @Processor({ engine: 'jobs', queue: 'twice' })
    class Twice {
      @Process('a') one(): void {}
      @Process('a') two(): void {}
    }
    expect(check(found(Twice))).toThrow(/Twice\.one .*Twice\.two .*both handle the type "a"/);
  });

  it('refuses a handler for everything beside any other', () => {
    expect(check(found(Welcome), found(Everything))).toThrow(/Everything\.run.*takes the jobs/);
    expect(check(found(Everything), found(Digest))).toThrow(/Everything\.run.*Digest\.run/);
    @Processor({ engine: 'jobs', queue: 'mail' })
    class AlsoEverything {
      @Process() run(): void {}
    }
    expect(check(found(Everything), found(AlsoEverything))).toThrow(/AlsoEverything/);
    @Processor({ engine: 'jobs', queue: 'mixed' })
    class Mixed {
      @Process() all(): void {}
      @Process('a') a(): void {}
    }
    expect(check(found(Mixed))).toThrow(/Mixed\.all.*Mixed\.a/);
  });

  it('lets the same types stand on two queues and on two instances', () => {
    @Processor({ engine: 'jobs', queue: 'other' })
    class Other extends Welcome {}
    @Processor({ engine: 'jobs', queue: 'mail', instance: 'second' })
    class Second extends Welcome {}
    expect(check(found(Welcome), found(Other), found(Second))).not.toThrow();
  });

  it('refuses one class provided twice, naming both modules', () => {
    expect(check(found(Welcome, 'A'), found(Welcome, 'B'))).toThrow(
      /Welcome is provided twice: in A and in B/,
    );
  });
});

describe('processors that cannot work at all', () => {
  it('refuses one without a handler', () => {
    @Processor({ engine: 'jobs', queue: 'empty' })
    class Empty {}
    expect(check(found(Empty))).toThrow('Empty (in EmptyModule) has no @Process method');
  });

  it('refuses a type on an engine without types, naming class and engine', () => {
    const typed = found(Welcome);
    const onGroups = { ...typed, metadata: { ...typed.metadata, engine: 'groups' } };
    expect(check(onGroups)).toThrow(/Welcome \(in WelcomeModule\).*"welcome".*groups engine/);
  });

  it('leaves a setting of a wrong kind to its engine, which names it', () => {
    const { metadata, ...rest } = found(Everything);
    const rules = { ...RULES, engines: { jobs: { hasTypes: true, rivalsShare: 'group' } } };
    for (const group of [1n, Symbol('g'), {}, null]) {
      const layers = [{ group }];
      const odd = { ...rest, metadata: { ...metadata, layers } } as FoundProcessor;
      expect(() => checkProcessors([odd], rules)).not.toThrow();
    }
  });

  it('refuses an instance that no forRoot made', () => {
    @Processor({ engine: 'jobs', queue: 'mail', instance: 'third' })
    class Third extends Welcome {}
    expect(check(found(Third))).toThrow(/Third.*instance "third".*known: default, second/);
  });

  it('refuses a handler that a child class replaced by an accessor, without reading it', () => {
    @Processor({ engine: 'jobs', queue: 'mail' })
    class Accessor extends Welcome {}
    Object.defineProperty(Accessor.prototype, 'run', {
      get: () => {
        throw new Error('a getter ran');
      },
    });
    expect(check(found(Accessor))).toThrow('Accessor (in AccessorModule) has no method run');
  });
});

describe('decorators', () => {
  it.each([
    [{ engine: 'stones', queue: 'q' }, '@Processor.engine'],
    [{ engine: 'jobs' }, '@Processor.queue'],
    [{ engine: 'jobs', queue: '' }, '@Processor.queue'],
    [{ engine: 'jobs', queue: 'q', concurency: 2 }, '@Processor.concurency'],
    [{ engine: 'jobs', queue: 'q', instance: 7 }, '@Processor.instance'],
    [undefined, '@Processor'],
  ])('@Processor(%j) is refused by the name of the option', (options, option) => {
    expect(() => Processor(options as never)).toThrow(
      expect.objectContaining({ name: 'InvalidOptionError', option }) as Error,
    );
  });

  it('@Process refuses what is no type and what is no method', () => {
    expect(() => Process('')).toThrow('@Process');
    expect(() => Process(7 as never)).toThrow('@Process');
    const decorate = Process('a');
    const getter = { get: () => () => undefined, configurable: true };
    expect(() => decorate(Welcome.prototype, 'getter', getter as never)).toThrow('is none');
    expect(() => decorate(Welcome, 'fixed', { value: () => 1 })).toThrow('Welcome.fixed is static');
  });
});
