import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { inspectContainer, listContainers } from '../src/container/container-calls.ts';
import { createEngineClient, type EngineClient } from '../src/engine/engine-client.ts';
import { engineConnection } from '../src/engine/engine-connection.ts';

const WHOLE = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n';
const CHUNKED = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('an engine that goes away in the middle of an answer (a stand-in that says half of it)', () => {
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
    client = createEngineClient({ connection, address: 'unix:///engine.sock', from: 'a test' });
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
    it(`is not reached, where it ends ${where}`, async () => {
      says = half;
      for (const ask of [() => inspectContainer(client, 'c1'), () => listContainers(client, {})]) {
        const error: unknown = await ask().catch((caught: unknown) => caught);
        expect(error).to.include({ code: 'ERR_RUNTIME_UNREACHABLE' });
      }
    });
  }
});
