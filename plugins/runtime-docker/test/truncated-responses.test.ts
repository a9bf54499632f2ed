import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { skipTest } from '../../../test/support/skip-suite.ts';
import { inspectContainer, listContainers } from '../src/container/container-calls.ts';
import { createEngineClient, type EngineClient } from '../src/engine/engine-client.ts';
import { engineConnection, pingEngine } from '../src/engine/engine-connection.ts';

const WHOLE = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n';
const CHUNKED = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('engine that disconnects during a response (simulated)', () => {
  let folder: string;
  let server: net.Server;
  let client: EngineClient;
  let says = '';

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-half-'));
    const socketPath = path.join(folder, 'engine.sock');
    server = net.createServer((socket) => {
      socket.once('data', () => socket.write(says, () => socket.destroy())).on('error', () => undefined);
    });
    server.listen(socketPath);
    await once(server, 'listening');
    const connection = engineConnection({ over: 'socket', path: socketPath });
    client = await createEngineClient({
      connection,
      address: 'unix:///engine.sock',
      from: 'a test',
      podman: false,
    });
  });
  after(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const halves = {
    'before its head ends': 'HTTP/1.1 200 OK\r\nContent-Type: app',
    'after its head': WHOLE,
    'in its text': `${WHOLE}{"Id":"c1"`,
    'in a chunk': `${CHUNKED}20\r\n{"Id":`,
    'between chunks': `${CHUNKED}6\r\n{"Id":\r\n`,
  };
  for (const [where, half] of Object.entries(halves)) {
    it(`is reported as unreachable when it ends ${where}`, async () => {
      says = half;
      for (const ask of [() => inspectContainer(client, 'c1'), () => listContainers(client, {})]) {
        const error: unknown = await ask().catch((caught: unknown) => caught);
        expect(error).to.include({ code: 'ERR_RUNTIME_UNREACHABLE' });
      }
    });
  }
});

describe('connection to an engine over TCP', () => {
  it('uses TCP keep-alive', async function () {
    if (process.platform !== 'linux') skipTest(this, 'the timers of connections are read from /proc');
    const server = net.createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    const connection = engineConnection({ over: 'tcp', host: '127.0.0.1', port, tls: undefined });
    const over = new AbortController();
    const accepted = once(server, 'connection');
    const pinged = pingEngine(connection, over.signal).catch((error: unknown) => error);
    const [socket] = (await accepted) as [net.Socket];
    await once(socket, 'data');
    await eventually(async () => expect(await timerOf(port)).to.equal(KEEP_ALIVE));
    over.abort();
    await pinged;
    socket.destroy();
    server.close();
  });

  const KEEP_ALIVE = '02';
  const ESTABLISHED = '01';

  /** Of the connection to a port: what its timer is for (proc_net_tcp.txt of Linux). */
  async function timerOf(port: number): Promise<string | undefined> {
    const to = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n');
    // A connection of an earlier test to the same port may still be in state TIME_WAIT.
    const fields = lines
      .map((line) => line.trim().split(/\s+/))
      .find(([, , remote, state]) => remote === to && state === ESTABLISHED);
    return fields?.[5]?.slice(0, 2);
  }
});
