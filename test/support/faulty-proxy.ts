import { once } from 'node:events';
import net from 'node:net';

type Pair = readonly [client: net.Socket, server: net.Socket];

/** A TCP proxy in front of a server that can misbehave in every way a network does. */
export class FaultyProxy {
  readonly #server = net.createServer((socket) => this.#onClient(socket));
  readonly #pairs = new Set<Pair>();
  readonly #deaf = new WeakSet<Pair>();
  #isRefusing = false;
  #isStalled = false;
  #isBlackHole = false;
  #isDroppingReplies = false;
  #beforeReply: (() => unknown) | undefined;

  private constructor(private readonly target: number) {}

  /** Listens on a free port, or on `port`, and forwards to `target` on this host. */
  static async start(target: number, port = 0): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    proxy.#server.listen(port, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** How many connections are open through it. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Cuts every open connection; new ones are served. */
  cut(): void {
    this.#forEachSocket(reset);
  }

  /** Holds everything back, both ways, until `resume`; new connections are accepted and held. */
  stall(): void {
    this.#isStalled = true;
    this.#forEachSocket((socket) => socket.pause());
  }

  /** Ends every misbehaviour; what `stall` held back is delivered. */
  resume(): void {
    this.#isStalled = this.#isBlackHole = this.#isDroppingReplies = this.#isRefusing = false;
    this.#forEachSocket((socket) => socket.resume());
  }

  /** Swallows everything, both ways, on open and on new connections. */
  blackHole(): void {
    this.#isBlackHole = true;
  }

  /** Forwards requests and swallows their replies. */
  dropReplies(): void {
    this.#isDroppingReplies = true;
  }

  /** Swallows the replies of the connections that are open now, for good; new ones are served. */
  dropOpenReplies(): void {
    for (const pair of this.#pairs) this.#deaf.add(pair);
  }

  /** Holds the next reply back until `act` is done; then it goes on, whatever `act` has done. */
  beforeNextReply(act: () => unknown): void {
    this.#beforeReply = act;
  }

  /** Cuts what is open and every new connection at once. */
  refuse(): void {
    this.#isRefusing = true;
    this.cut();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #onClient(client: net.Socket): void {
    client.on('error', () => undefined);
    if (this.#isRefusing) return reset(client);
    const server = net.connect(this.target, '127.0.0.1');
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    server.on('error', () => undefined);
    client.on('data', (data) => !this.#isBlackHole && server.write(data));
    server.on('data', (data) => void this.#onReply(pair, data));
    for (const [one, other] of [pair, [server, client]]) {
      one.on('close', () => (other.destroy(), this.#pairs.delete(pair)));
      if (this.#isStalled) one.pause();
    }
  }

  async #onReply(pair: Pair, data: Buffer): Promise<void> {
    const [client, server] = pair;
    const act = this.#beforeReply;
    if (act !== undefined) {
      this.#beforeReply = undefined;
      server.pause();
      await act();
      server.resume();
    } else if (this.#isBlackHole || this.#isDroppingReplies || this.#deaf.has(pair)) return;
    client.write(data);
  }

  #forEachSocket(act: (socket: net.Socket) => void): void {
    for (const pair of this.#pairs) pair.forEach(act);
  }
}

/** A reset while a shutdown is pending would leave a handle that never closes (Node 20). */
function reset(socket: net.Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
