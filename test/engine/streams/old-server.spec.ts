import net from 'node:net';
import { once } from 'node:events';
import { StreamConsumer, StreamProducer } from '../../../lib/streams/index.js';
import { RecordingLogger } from '../../contract/logs.js';

// a stand-in that says what an old server says of itself, since none can be installed everywhere
const INFO = 'redis_version:6.0.16\r\nmaxmemory_policy:noeviction';
let server: net.Server;
let url: string;
const sockets = new Set<net.Socket>();

beforeAll(async () => {
  server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('data', (data) => {
      for (const command of data.toString().split(/^\*/m).slice(1))
        socket.write(/info/i.test(command) ? `$${INFO.length}\r\n${INFO}\r\n` : '+OK\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `redis://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

const refusal = {
  code: 'UNSUPPORTED_SERVER',
  message: expect.stringContaining('6.0.16') as string,
};
const logger = new RecordingLogger();

test('a producer is refused clearly', async () => {
  const producer = new StreamProducer({ url, logger });
  await expect(producer.publish('x')).rejects.toMatchObject(refusal);
  await producer.close();
});

test('a consumer is refused clearly, and does not try on for ever', async () => {
  const consumer = new StreamConsumer({ url, logger });
  await expect(consumer.deliveries().next()).rejects.toMatchObject(refusal);
  const failure = new Promise((resolve) => consumer.observe().subscribe({ error: resolve }));
  expect(await failure).toMatchObject(refusal);
  await consumer.close();
});
