import { expect } from 'chai';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { joinStreams } from '../../src/proxy/join-streams.ts';

describe('joinStreams', () => {
  let servers: Server[];
  let client: Socket;
  let target: Socket;
  let joined: Socket;

  async function listen(server: Server): Promise<number> {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port; // SAFETY: the server listens on a TCP port
  }

  beforeEach(async () => {
    servers = [];
    const arrived = Promise.withResolvers<Socket>();
    const port = await listen(createServer({ allowHalfOpen: true }, arrived.resolve));
    const between = await listen(
      createServer({ allowHalfOpen: true }, (left) => {
        joined = left;
        joinStreams(left, connect({ host: '127.0.0.1', port, allowHalfOpen: true }));
      }),
    );
    client = connect({ host: '127.0.0.1', port: between, allowHalfOpen: true });
    target = await arrived.promise;
  });
  afterEach(async () => {
    for (const socket of [client, target]) socket.destroy();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  });

  const read = async (socket: Socket): Promise<string> => {
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text;
  };

  it('passes on the end of one direction and keeps the other open', async () => {
    client.end('question');
    expect(await read(target)).to.equal('question');
    target.end('answer');
    expect(await read(client)).to.equal('answer');
  });

  it('delivers all data before the end', async () => {
    const bytes = 'x'.repeat(8_000_000);
    target.end(bytes);
    expect((await read(client)).length).to.equal(bytes.length);
  });

  for (const from of ['client', 'target'] as const) {
    it(`resets the other side when the ${from} is reset`, async () => {
      const [gone, left] = from === 'client' ? [client, target] : [target, client];
      const fault = new Promise<Error & { code?: string }>((resolve) => left.resume().once('error', resolve));
      gone.on('error', () => undefined).resetAndDestroy();
      expect((await fault).code).to.equal('ECONNRESET');
    });
  }

  it('closes the other side when this process closes one', async () => {
    const closed = new Promise((resolve) =>
      target
        .on('error', () => undefined)
        .resume()
        .once('close', resolve),
    );
    client.on('error', () => undefined);
    joined.destroy();
    await closed;
  });
});
