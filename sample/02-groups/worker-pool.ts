import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./worker.js', import.meta.url));

/** Where the workers find the topic. */
export interface WorkerPlace {
  readonly redisUrl: string;
  readonly prefix: string;
}

/** The worker processes of one run. */
export class WorkerPool {
  private readonly workers = new Map<string, ChildProcess>();

  constructor(private readonly place: WorkerPlace) {}

  /** Starts workers, named w1, w2 and so on; resolves when all claim. */
  async start(count: number): Promise<void> {
    const numbers = Array.from({ length: count }, (_, at) => String(at + 1));
    await Promise.all(numbers.map((number) => this.startOne(number)));
  }

  /** Ends one worker without a warning, in the middle of what it does; answers its name. */
  async killOne(): Promise<string> {
    const [[name, worker]] = this.workers;
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    return name;
  }

  /** Lets every worker end what it does. */
  async stop(): Promise<void> {
    const ends = [...this.workers.values()].map(async (worker) => {
      const ended = once(worker, 'exit');
      if (worker.connected) worker.send('stop');
      await ended;
    });
    await Promise.all(ends);
  }

  private async startOne(number: string): Promise<void> {
    const { redisUrl, prefix } = this.place;
    const env = { ...process.env, REDIS_URL: redisUrl, PREFIX: prefix, WORKER: number };
    const worker = fork(PROGRAM, { env });
    const name = `w${number}`;
    this.workers.set(name, worker);
    worker.once('exit', () => this.workers.delete(name));
    const ready = once(worker, 'message');
    const died = once(worker, 'exit').then(([code]) => {
      throw new Error(`worker ${name} did not start (exit code ${String(code)})`);
    });
    died.catch(() => undefined); // of interest only until it is ready
    await Promise.race([ready, died]);
  }
}
