import { Global, Inject, Injectable, Module, type Provider, Scope } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  type FoundProcessor,
  Process,
  Processor,
  ProcessorExplorer,
} from '../../../lib/processor/index.js';

@Processor({ engine: 'jobs', queue: 'mail' })
class Mail {
  @Process('welcome') welcome(): void {}
}

async function explore(providers: Provider[], imports: object[] = []) {
  const app = await Test.createTestingModule({
    imports: [DiscoveryModule, ...(imports as [])],
    providers: [ProcessorExplorer, ...providers],
  }).compile();
  return app.get(ProcessorExplorer).explore();
}

const names = (found: readonly FoundProcessor[]) => found.map(({ className }) => className);

describe('finding processors', () => {
  it('finds nothing where nothing is decorated', async () => {
    expect(await explore([])).toEqual([]);
  });

  it('returns class, module, queue and handlers as data', async () => {
    @Module({ providers: [Mail] })
    class MailModule {}
    const [found] = await explore([], [MailModule]);
    expect(found).toMatchObject({
      className: 'Mail',
      moduleName: 'MailModule',
      metadata: { engine: 'jobs', queue: 'mail', instance: 'default' },
      handlers: [{ method: 'welcome', type: 'welcome' }],
    });
  });

  it('survives providers of every other kind', async () => {
    const deaf = new Proxy({}, { get: () => undefined });
    const values: unknown[] = [null, 0, 'text', () => 1, Object.create(null), deaf, Mail];
    const providers = values.map((useValue, i): Provider => ({ provide: `v${i}`, useValue }));
    const factories: Provider[] = [
      { provide: 'number', useFactory: () => 7 },
      { provide: 'nothing', useFactory: () => undefined },
      { provide: Symbol('null'), useFactory: () => Promise.resolve(null) },
    ];
    expect(names(await explore([...providers, ...factories, Mail]))).toEqual(['Mail']);
  });

  it('passes over a provider that does not even tell its prototype', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    const app = await Test.createTestingModule({
      imports: [DiscoveryModule],
      providers: [ProcessorExplorer, Mail, { provide: 'proxy', useValue: proxy }],
    }).compile();
    revoke();
    expect(names(app.get(ProcessorExplorer).explore())).toEqual(['Mail']);
  });

  it('runs no getter of a provider', async () => {
    let reads = 0;
    class Trap {
      get trap(): never {
        reads += 1;
        throw new Error('a getter ran');
      }
    }
    @Processor({ engine: 'jobs', queue: 'trap' })
    class Trapped extends Trap {
      @Process() handle(): void {}
    }
    expect(names(await explore([Trap, Trapped]))).toEqual(['Trapped']);
    expect(reads).toBe(0);
  });

  it('finds instances made by factories and given as values', async () => {
    const found = await explore([
      { provide: 'made', useFactory: () => new Mail() },
      { provide: 'given', useValue: new Mail() },
      { provide: 'class', useClass: Mail },
    ]);
    expect(names(found)).toEqual(['Mail', 'Mail', 'Mail']);
  });

  it('counts an instance once, whatever number of tokens lead to it', async () => {
    const found = await explore([
      Mail,
      { provide: 'alias', useExisting: Mail },
      { provide: 'passed on', useFactory: (mail: Mail) => mail, inject: [Mail] },
    ]);
    expect(names(found)).toEqual(['Mail']);
  });

  it('counts a module once that is imported three times, and a global one that is re-exported', async () => {
    @Global()
    @Module({ providers: [Mail], exports: [Mail] })
    class MailModule {}
    @Module({ imports: [MailModule], exports: [MailModule] })
    class A {}
    @Module({ imports: [MailModule, A] })
    class B {}
    expect(names(await explore([], [MailModule, A, B]))).toEqual(['Mail']);
  });

  it('keeps the handlers of a child out of its parent and its siblings', async () => {
    class Base {
      @Process('one') one(): void {}
    }
    @Processor({ engine: 'jobs', queue: 'a' })
    class A extends Base {
      @Process('two') two(): void {}
    }
    @Processor({ engine: 'jobs', queue: 'b' })
    class B extends Base {
      override one(): void {}
      @Process('three') three(): void {}
    }
    @Processor({ engine: 'jobs', queue: 'c' })
    class C extends Base {
      @Process('uno') override one(): void {}
    }
    const found = await explore([A, B, C]);
    const types = found.map(({ handlers }) => handlers.map(({ type }) => type));
    expect(types).toEqual([['one', 'two'], ['one', 'three'], ['uno']]);
  });

  it('finds request-scoped processors, and those that are so by what they need', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Context {}
    @Injectable()
    class Service {
      constructor(readonly context: Context) {}
    }
    @Processor({ engine: 'jobs', queue: 'deep' })
    class Deep {
      constructor(@Inject(Service) readonly service: Service) {}
      @Process() handle(): void {}
    }
    const [found] = await explore([Context, Service, Deep]);
    expect(found?.target).toMatchObject({ scope: 'request', token: Deep });
  });

  it('refuses a transient processor by name', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    @Processor({ engine: 'jobs', queue: 'passing' })
    class Passing {
      @Process() handle(): void {}
    }
    await expect(explore([Passing])).rejects.toThrow(/Passing \(in .*\) is transient/);
  });
});
