import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./worker.js', import.meta.url));

/** Where the workers find the stream. */
export interface WorkerPlace {
  readonly redisUrl: string;
  readonly prefix: string;
}

/** The worker processes of one run. */
export class WorkerPool {
  private readonly workers: ChildProcess[] = [];

  constructor(private readonly place: WorkerPlace) {}

  /** Starts a worker of a group; resolves when it claims. */
  async start(group: string): Promise<ChildProcess> {
    const { redisUrl, prefix } = this.place;
    const env = { ...process.env, REDIS_URL: redisUrl, PREFIX: prefix, GROUP: group };
    const worker = fork(PROGRAM, { env });
    this.workers.push(worker);
    const died = once(worker, 'exit').then(([code]) => {
      throw new Error(`a worker of ${group} did not start (exit code ${String(code)})`);
    });
    died.catch(() => undefined); // of interest only until it is ready
    await Promise.race([once(worker, 'message'), died]);
    return worker;
  }

  /** Ends a worker without a warning, in the middle of what it does. */
  async kill(worker: ChildProcess): Promise<void> {
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  }

  /** Lets every worker end what it does. */
  async stop(): Promise<void> {
    const running = this.workers.filter(
      ({ exitCode, signalCode }) => (exitCode ?? signalCode) === null,
    );
    await Promise.all(
      running.map(async (worker) => {
        const ended = once(worker, 'exit');
        if (worker.connected) worker.send('stop');
        await ended;
      }),
    );
  }
}
