import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { DescriptorBudget, reserveDescriptors } from '../src/reserve-descriptors.ts';

/** Room for 40 - 16 (reserve) - 4 (others) = 20 connections. */
const LIMIT = 40;
const OTHERS = 4;
const MAX_CONNECTIONS = 20;

describe('reserveDescriptors', () => {
  let server: Server;
  let clients: Socket[];
  let now: number;
  let logger: ReturnType<typeof createRecordingLogger>;

  beforeEach(async () => {
    [clients, now] = [[], 0];
    logger = createRecordingLogger();
    server = createServer((request, response) => {
      if (request.url !== '/stream') response.end('ok');
      else response.write('open');
    });
    const open = new Set<Socket>();
    server.on('connection', (socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
    const budget = new DescriptorBudget(LIMIT, () => open.size + OTHERS);
    reserveDescriptors(server, { listener: 'public', logger, budget, nowMs: () => now });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const client of clients) client.destroy();
    server.close();
    await once(server, 'close');
  });

  async function connectClient(request = ''): Promise<Socket> {
    const { port } = server.address() as AddressInfo;
    const client = connect(port, '127.0.0.1');
    clients.push(client);
    client.on('error', () => undefined); // some cases close connections
    const accepted = once(server, 'connection');
    await Promise.all([once(client, 'connect'), accepted]);
    if (request !== '') {
      client.write(`GET ${request} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await once(client, 'data');
    }
    return client;
  }
  const get = async (): Promise<number> =>
    (
      await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
        headers: { connection: 'close' },
      })
    ).status;

  it('closes the connection that has been idle longest when descriptors run short, and logs it once', async () => {
    const idle: Socket[] = [];
    for (let count = 0; count < MAX_CONNECTIONS; count += 1) idle.push(await connectClient());
    expect(logger.lines).to.deep.equal([]);
    expect(await get()).to.equal(200);
    expect(await get()).to.equal(200);
    await eventually(() => expect(idle.filter(({ closed }) => closed)).to.deep.equal(idle.slice(0, 1)));
    const [line] = logger.lines;
    expect(logger.lines).to.have.length(1);
    expect(line?.fields).to.include({ listener: 'public', limit: LIMIT, closed: 1 });
    now = 60_000;
    for (let count = 0; count < 2; count += 1) idle.push(await connectClient());
    expect(logger.lines).to.have.length(2);
  });

  it('leaves `Expect: 100-continue` to the server', async () => {
    const client = await connectClient();
    client.write('GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n');
    const [chunk] = (await once(client, 'data')) as [Buffer];
    expect(chunk.toString()).to.match(/^HTTP\/1.1 100 Continue/);
  });

  it('keeps connections with a request, and closes new ones when none is idle', async () => {
    for (let count = 0; count < MAX_CONNECTIONS; count += 1) await connectClient('/stream');
    const refused = await connectClient();
    await eventually(() => expect(refused.closed).to.equal(true));
    expect(clients.filter(({ closed }) => closed)).to.deep.equal([refused]);
  });
});
