// A cluster of masters from plain processes, formed without redis-cli.
import { once } from 'node:events';
import net from 'node:net';
import { startServer } from './server.mjs';

const SLOTS = 16_384;

/**
 * Starts `masters` nodes (default 3) that share the slots.
 * Answer: `{ nodes: [{ host, port }], servers, stop() }`. Takes some 2 s, fixed in the server.
 */
export async function startCluster({ masters = 3, args = [] } = {}) {
  const clusterArgs = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', ...args];
  const servers = await Promise.all(
    Array.from({ length: masters }, () => startServer({ args: clusterArgs })),
  );
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  try {
    await join(servers.map(({ port }) => port));
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes: servers.map(({ port }) => ({ host: '127.0.0.1', port })), servers, stop };
}

async function join(ports) {
  const share = SLOTS / ports.length;
  for (const [index, port] of ports.entries()) {
    const [from, to] = [Math.ceil(index * share), Math.ceil((index + 1) * share) - 1];
    await ask(port, `CLUSTER SET-CONFIG-EPOCH ${index + 1}`);
    await ask(port, `CLUSTER ADDSLOTSRANGE ${from} ${to}`);
    if (index > 0) await ask(ports[0], `CLUSTER MEET 127.0.0.1 ${port}`);
  }
  const deadline = Date.now() + 30_000;
  while (!(await isFormed(ports))) {
    if (Date.now() > deadline) throw new Error('the cluster did not form within 30 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function isFormed(ports) {
  const infos = await Promise.all(ports.map((port) => ask(port, 'CLUSTER INFO')));
  return infos.every(
    (info) =>
      info.includes('cluster_state:ok') &&
      info.includes('cluster_slots_ok:16384') &&
      info.includes(`cluster_known_nodes:${ports.length}`),
  );
}

/** One inline command; the reply's first packet is enough for those asked here. */
async function ask(port, command) {
  const socket = net.connect(port, '127.0.0.1');
  try {
    socket.write(`${command}\r\n`);
    const [data] = await once(socket, 'data');
    const reply = data.toString();
    if (reply.startsWith('-')) throw new Error(`${command}: ${reply.trim()}`);
    return reply;
  } finally {
    socket.destroy();
  }
}
