import { Injectable, Module } from '@nestjs/common';
import {
  getQueueToken,
  JobQueue,
  QueueService,
  RedisQueueModule,
  type RedisQueueOptions,
  type RedisQueueOptionsFactory,
} from '../../lib/index.js';
import { compile, freshPrefix, options, RecordingLogger, start, url } from './fixture.js';

const WRONG: [Record<string, unknown>, string][] = [
  [{ connection: undefined }, 'connection'],
  [{ connection: null }, 'connection'],
  [{ connection: { url: undefined } }, 'connection.url'],
  [{ connection: { client: undefined } }, 'connection.client'],
  [{ connection: {} }, 'connection'],
  [{ connection: { url, options: { host: 'localhost' } } }, 'connection'],
  [{ connection: { url: 'nowhere' } }, 'connection.url'],
  [{ connection: { uri: url } }, 'connection.uri'],
  [{ prefix: '' }, 'prefix'],
  [{ prefix: 'a{b}' }, 'prefix'],
  [{ role: 'web' }, 'role'],
  [{ shutdownGraceMs: -1 }, 'shutdownGraceMs'],
  [{ shutdownGraceMs: '10' }, 'shutdownGraceMs'],
  [{ connectTimeoutMs: 0 }, 'connectTimeoutMs'],
  [{ commandTimeoutMs: NaN }, 'commandTimeoutMs'],
  [{ blockMs: 1.5 }, 'blockMs'],
  [{ closeBorrowedClient: 'no' }, 'closeBorrowedClient'],
  [{ logger: { log: () => undefined } }, 'logger.error'],
  [{ logger: null }, 'logger.log'],
  [{ processors: { concurrency: 0 } }, 'processors.concurrency'],
  [{ processors: { concurency: 1 } }, 'processors.concurency'],
  [{ jobs: { leaseMs: 0 } }, 'jobs.leaseMs'],
  [{ jobs: { leesMs: 1 } }, 'jobs.leesMs'],
  [{ stones: {} }, 'options.stones'],
];

describe('options that are wrong stop the start, naming themselves', () => {
  it.each(WRONG)('%j: %s', async (wrong, option) => {
    const root = { ...options(), ...wrong } as RedisQueueOptions;
    const refusal = { name: 'InvalidOptionError', option };
    await expect(compile({ imports: [RedisQueueModule.forRoot(root)] })).rejects.toMatchObject(
      refusal,
    );
    await expect(
      compile({ imports: [RedisQueueModule.forRootAsync({ useFactory: () => root })] }),
    ).rejects.toMatchObject(refusal);
  });

  it('also when there are none', async () => {
    expect(() => RedisQueueModule.forRoot(undefined as never)).toThrow('RedisQueueModule.forRoot');
    expect(() => RedisQueueModule.forRootAsync({})).toThrow(
      'give one of useFactory, useClass, useExisting',
    );
    const nothing = RedisQueueModule.forRootAsync({ useFactory: () => undefined as never });
    await expect(compile({ imports: [nothing] })).rejects.toThrow(
      'options: undefined (the factory of forRootAsync returned none)',
    );
  });

  it('and a name that is none', () => {
    expect(() => RedisQueueModule.forRoot({ ...options(), name: '' })).toThrow('name:');
  });
});

describe('options that were not found where the application reads them', () => {
  it('stop the start, and never turn into localhost', async () => {
    class ConfigService {
      get(key: string): string | undefined {
        return key === 'known' ? url : undefined;
      }
    }
    @Module({ providers: [ConfigService], exports: [ConfigService] })
    class ConfigModule {}
    const root = RedisQueueModule.forRootAsync({
      imports: [ConfigModule],
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({ connection: { url: config.get('REDIS_URL') } }),
    });
    await expect(compile({ imports: [root] })).rejects.toMatchObject({
      option: 'connection.url',
      message: expect.stringContaining('is undefined') as string,
    });
  });
});

describe('forRootAsync', () => {
  @Injectable()
  class Settings implements RedisQueueOptionsFactory {
    async createRedisQueueOptions() {
      await Promise.resolve();
      return { connection: { url }, prefix: freshPrefix(), logger: new RecordingLogger() };
    }
  }
  @Module({ providers: [Settings], exports: [Settings] })
  class SettingsModule {}

  it.each([
    ['useFactory', { useFactory: () => new Settings().createRedisQueueOptions() }],
    ['useClass', { useClass: Settings }],
    ['useExisting', { imports: [SettingsModule], useExisting: Settings }],
  ])('%s', async (_, way) => {
    const app = await start({
      imports: [
        RedisQueueModule.forRootAsync({ name: 'async', ...way }),
        RedisQueueModule.forFeature(['late'], 'async'),
      ],
    });
    const queue: JobQueue = app.get(getQueueToken('late', 'async'), { strict: false });
    await queue.add('any', { n: 1 });
    expect(await queue.stats()).toMatchObject({ pending: 1 });
  });

  it('takes options that come late', async () => {
    const app = await start({
      imports: [
        RedisQueueModule.forRootAsync({
          useFactory: async () => {
            await new Promise((resolve) => setTimeout(resolve, 30));
            return options();
          },
        }),
      ],
    });
    expect(await app.get(QueueService).stats('any')).toMatchObject({ pending: 0 });
  });
});

describe('a missing forRoot', () => {
  it('is told by forFeature', async () => {
    await expect(compile({ imports: [RedisQueueModule.forFeature(['mail'])] })).rejects.toThrow(
      /"mail" needs RedisQueueModule.forRoot under the name "default"/,
    );
    await expect(
      compile({
        imports: [RedisQueueModule.forRoot(options()), RedisQueueModule.forFeature(['m'], 'x')],
      }),
    ).rejects.toThrow(/"m" needs RedisQueueModule.forRoot under the name "x"/);
  });

  it('is told when the module is imported bare', async () => {
    await expect(compile({ imports: [RedisQueueModule] })).rejects.toThrow(
      'import it as RedisQueueModule.forRoot',
    );
  });
});

describe('the prefix', () => {
  it('keeps two applications apart on one server', async () => {
    const [one, two] = await Promise.all([
      start({ imports: [RedisQueueModule.forRoot(options())] }),
      start({ imports: [RedisQueueModule.forRoot(options())] }),
    ]);
    await one.get(QueueService).enqueue('q', 't', 1);
    expect(await two.get(QueueService).stats('q')).toMatchObject({ pending: 0 });
  });
});
