// A cluster from plain processes, formed without redis-cli.
import { once } from 'node:events';
import net from 'node:net';
import { startServer } from './server.mjs';

const SLOTS = 16_384;

/**
 * Starts `masters` nodes (default 3) that share the slots, the first of them the lowest, and
 * `replicas` more (default none): the first replicates the first master, and so on.
 * Answer: `{ nodes: [{ host, port }], servers, replicas, stop() }`, nodes and servers the masters.
 * Takes some 2 s, fixed in the server.
 */
export async function startCluster({ masters = 3, replicas = 0, args = [] } = {}) {
  const clusterArgs = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', ...args];
  const all = await Promise.all(
    Array.from({ length: masters + replicas }, () => startServer({ args: clusterArgs })),
  );
  const stop = async () => void (await Promise.all(all.map((server) => server.stop())));
  const servers = all.slice(0, masters);
  try {
    await join(all, masters);
  } catch (error) {
    await stop();
    throw error;
  }
  const nodes = servers.map(({ port }) => ({ host: '127.0.0.1', port }));
  return { nodes, servers, replicas: all.slice(masters), stop };
}

async function join(servers, masters) {
  const ports = servers.map(({ port }) => port);
  const share = SLOTS / masters;
  for (const [index, port] of ports.entries()) {
    await ask(port, `CLUSTER SET-CONFIG-EPOCH ${index + 1}`);
    if (index < masters) {
      const [from, to] = [Math.ceil(index * share), Math.ceil((index + 1) * share) - 1];
      await ask(port, `CLUSTER ADDSLOTSRANGE ${from} ${to}`);
    }
    if (index > 0) await ask(ports[0], `CLUSTER MEET 127.0.0.1 ${port}`);
  }
  await until(() => isFormed(ports));
  for (const [index, port] of ports.slice(masters).entries()) {
    const [, id] = (await ask(ports[index], 'CLUSTER MYID')).split('\r\n');
    await ask(port, `CLUSTER REPLICATE ${id}`);
    await until(async () => (await ask(port, 'INFO replication')).includes('link_status:up'));
  }
}

async function until(isTrue) {
  const deadline = Date.now() + 30_000;
  while (!(await isTrue())) {
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
