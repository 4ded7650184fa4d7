import { Redis } from 'ioredis';

/**
 * The commands that clients send while `work` runs, by the server's MONITOR, lower-case and with
 * their arguments. What a script calls inside the server is marked `lua` there and left out.
 *
 * @param isOurs picks the commands that count, since the shared server has other clients
 */
export async function commandsDuring(
  url: string,
  work: () => Promise<unknown>,
  isOurs: (command: readonly string[]) => boolean = () => true,
): Promise<readonly (readonly string[])[]> {
  const client = new Redis(url);
  const monitor = await client.monitor();
  const seen: string[][] = [];
  const mark = `end-of-work-${process.pid}-${Math.random()}`;
  const ended = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, args: string[], source: string) => {
      if (args[1] === mark) resolve();
      else if (source !== 'lua' && isOurs(args))
        seen.push([args[0].toLowerCase(), ...args.slice(1)]);
    });
  });
  try {
    await work();
    await client.echo(mark);
    await ended;
  } finally {
    monitor.disconnect();
    client.disconnect();
  }
  return seen;
}
