import { Redis } from 'ioredis';
import { slotOf } from '../../lib/redis/cluster-node.js';
import { pause } from '../contract/waiting.js';
import { eventually } from './eventually.js';
import type { TestCluster } from './redis-server.js';

/** The masters of a cluster as slots move between them. */
export class MovingSlots {
  private readonly nodes: readonly Redis[];

  constructor(private readonly cluster: TestCluster) {
    this.nodes = cluster.servers.map(({ url }) => new Redis(url));
  }

  /** The master that serves a key now. */
  async ownerOf(key: string): Promise<Redis> {
    const slot = slotOf(key);
    const rows = await this.nodes[0].cluster('SLOTS');
    const [, , node] = rows.find(([first, last]) => first <= slot && slot <= last)!;
    return this.nodes[this.cluster.servers.findIndex(({ port }) => port === Number(node[1]))];
  }

  /**
   * Moves the slot of a key to the next master as `redis-cli --cluster reshard` does, but key by
   * key and slowly; resolves when the masters have told each other.
   *
   * @param restMs before the first key, and after each
   */
  async moveOn(key: string, restMs = 25): Promise<void> {
    const move = await this.begin(key);
    await pause(restMs);
    while (await move.next()) await pause(restMs);
    await move.end();
  }

  /** The same in steps; the slot is half on its way until `end`. */
  async begin(key: string): Promise<SlotMove> {
    const slot = slotOf(key);
    const from = await this.ownerOf(key);
    const to = this.nodes[(this.nodes.indexOf(from) + 1) % this.nodes.length];
    const [fromId, toId] = [await from.cluster('MYID'), await to.cluster('MYID')];
    await to.cluster('SETSLOT', slot, 'IMPORTING', fromId);
    await from.cluster('SETSLOT', slot, 'MIGRATING', toId);
    return {
      next: async () => {
        const [found] = await from.cluster('GETKEYSINSLOT', slot, 1);
        if (found === undefined) return false;
        const { host, port } = to.options;
        await from.call('MIGRATE', host!, port!, found, 0, 5_000, 'REPLACE');
        return true;
      },
      end: async () => {
        await to.cluster('SETSLOT', slot, 'NODE', toId);
        await from.cluster('SETSLOT', slot, 'NODE', toId);
        await eventually(async () => (await this.ownerOf(key)) === to);
      },
    };
  }

  close(): void {
    for (const node of this.nodes) node.disconnect();
  }
}

/** A slot on its way. */
export interface SlotMove {
  /** Moves one key more; `false` when there is none left. */
  next(): Promise<boolean>;
  /** Gives the slot to its new master; call it when no key is left. */
  end(): Promise<void>;
}
