import { eventually, inTime } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { json, refusalOf, type ErrorBody } from './support/responses.ts';
import { openRaw } from './support/raw-connection.ts';
import { startServer } from './support/start-server.ts';

const LIST = '/registry/main/v0.1/servers';
const HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('startRegistryServer', () => {
  const taken = async (use: (port: number) => Promise<void>) => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    await use((other.address() as AddressInfo).port); // it listens on a port
    await new Promise((resolve) => other.close(resolve));
  };

  const settings = [
    { listener: 'public', setting: 'address', flag: '--address' },
    { listener: 'internal', setting: 'internalAddress', flag: '--internal-address' },
  ] as const;
  for (const { listener, setting, flag } of settings) {
    it(`throws with the taken address of the ${listener} listener, and closes the other one`, async () => {
      await taken(async (port) => {
        const address = `127.0.0.1:${port}`;
        const error: unknown = await startServer({ config: { [setting]: address } }).catch(
          (reason: unknown) => reason,
        );
        expect(error).to.include({
          code: 'ERR_ADDRESS_IN_USE',
          message: `The address ${address} of the ${listener} listener is in use.`,
        });
        expect(error).to.have.property('hint').that.includes(flag);
      });
    });
  }

  it('throws for an address of another host and for an invalid address', async () => {
    const codes = ['192.0.2.1:80', 'nonsense'].map((address) =>
      startServer({ config: { address } }).catch((reason: { code: string }) => reason.code),
    );
    expect(await Promise.all(codes)).to.deep.equal(['ERR_ADDRESS_UNUSABLE', 'ERR_BAD_ARGUMENT']);
  });

  it('closes 500 slow connections, and responds to other clients meanwhile', async () => {
    const server = await startServer({ connectionLimits: { headersMs: 400, receiveMs: 600, checkMs: 50 } });
    const head = 'GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ';
    const connections = Array.from({ length: 500 }, () => openRaw(server.publicUrl));
    const dripping = setInterval(() => {
      for (const [index, { socket }] of connections.entries()) {
        if (socket.writable) socket.write(head[Math.floor(index / 7) % head.length] ?? 'x');
      }
    }, 50);
    const all = Promise.all(connections.map(({ closed }) => closed));
    let answered = 0;
    const asking = setInterval(() => {
      server.get('/health').then(
        (answer) => (answered += answer.status === 200 ? 1 : 0),
        () => (answered = Number.NaN),
      );
    }, 20);
    const received = await inTime('the end of all slow connections', all, { withinMs: 40_000 });
    clearInterval(dripping);
    clearInterval(asking);
    expect(answered).to.be.above(0);
    expect(received.filter((text) => text.includes('408') || text.includes('400')).length).to.be.above(0);
    await server.close();
  });

  it('closes a connection that sends nothing, and one whose body never ends', async () => {
    const server = await startServer({ connectionLimits: { headersMs: 1000, receiveMs: 1500, checkMs: 50 } });
    const silent = openRaw(server.publicUrl);
    const unfinished = openRaw(
      server.publicUrl,
      'GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc',
    );
    await inTime('the end of both', Promise.all([silent.closed, unfinished.closed]));
    expect(unfinished.received()).to.match(/^HTTP\/1\.1 200/);
    await server.close();
  });
});

describe('close', () => {
  it('closes idle connections at once, and can be called twice', async () => {
    const server = await startServer();
    const idle = openRaw(server.publicUrl, HEALTH);
    const silent = openRaw(server.publicUrl);
    const half = openRaw(server.publicUrl, 'GET /health HT');
    await eventually(() => expect(idle.received()).to.include('healthy'));
    await inTime('the close', Promise.all([server.close(), server.close()]));
    await inTime('the end of the connections', Promise.all([idle.closed, silent.closed, half.closed]));
    const refused: unknown = await server.get('/health').catch(() => 'refused');
    expect(refused).to.equal('refused');
  });

  it('finishes running requests with Connection: close, while readiness responds 503', async () => {
    const server = await startServer();
    let open = (): void => undefined;
    server.reader.gate = () =>
      new Promise((resolve) => {
        open = resolve;
      });
    const running = server.get(LIST);
    await eventually(() => expect(server.reader.calls.list).to.equal(1));
    const closing = server.close();
    const readiness = await server.getInternal('/readiness');
    expect([readiness.status, (await json<ErrorBody>(readiness)).hint]).to.deep.equal([
      503,
      'The server is stopping.',
    ]);
    open();
    const answer = await running;
    expect([answer.status, answer.headers.get('connection')]).to.deep.equal([200, 'close']);
    expect(await answer.text()).to.include('com.acme/map-0');
    await inTime('the close', closing);
  });

  it('waits at most the configured time', async () => {
    const server = await startServer({ config: { shutdownTimeout: '100ms' } });
    server.reader.gate = () => new Promise(() => undefined);
    const running = server.get(LIST).then(
      () => 'answered',
      () => 'cut',
    );
    await eventually(() => expect(server.reader.calls.list).to.equal(1));
    await inTime('the close', server.close());
    expect(await running).to.equal('cut');
  });
});

describe('unread request bodies', () => {
  const MiB = 1024 * 1024;

  it('up to 1 MiB are discarded, and the connection stays open', async () => {
    const server = await startServer();
    const body = 'x'.repeat(1000);
    const connection = openRaw(
      server.publicUrl,
      `GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      HEALTH,
    );
    await eventually(() => expect(connection.received().match(/200 OK/g)).to.have.length(2));
    connection.socket.destroy();
    await server.close();
  });

  it('above 1 MiB are refused before they are read, and the connection closes', async () => {
    const server = await startServer({ bodyLimits: { bytes: MiB, lingerMs: 100 } });
    for (const [method, path] of [
      ['GET', '/health'],
      ['POST', LIST],
      ['PUT', '/nowhere'],
    ]) {
      const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${100 * MiB}\r\n\r\n`;
      const connection = openRaw(server.publicUrl, head, 'x'.repeat(1000));
      const received = await inTime('the end of the connection', connection.closed);
      expect(received).to.match(/^HTTP\/1\.1 413 .*Connection: close.*"code":"ERR_BODY_TOO_LARGE"/s);
    }
    await server.close();
  });

  it('above 1 MiB get no 100 Continue', async () => {
    const server = await startServer({ bodyLimits: { bytes: MiB, lingerMs: 100 } });
    const ask = (bytes: number) =>
      openRaw(
        server.publicUrl,
        `POST ${LIST} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: ${bytes}\r\n\r\n`,
      );
    const large = ask(100 * MiB);
    expect(await inTime('the end of the connection', large.closed)).to.match(/^HTTP\/1\.1 413 /);
    const small = ask(1);
    await eventually(() => expect(small.received()).to.match(/^HTTP\/1\.1 100 Continue/));
    small.socket.destroy();
    await server.close();
  });

  it('without an end get the response of the route, and the connection closes', async () => {
    const server = await startServer({ bodyLimits: { bytes: MiB, lingerMs: 100 } });
    const head = 'GET /health HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
    const connection = openRaw(server.publicUrl, head);
    const sending = setInterval(() => {
      if (connection.socket.writable) connection.socket.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
    }, 1);
    const received = await inTime('the end of the connection', connection.closed);
    clearInterval(sending);
    expect(received).to.match(/^HTTP\/1\.1 200 .*Connection: close.*healthy/s);
    await server.close();
  });

  it('of 100 MB get a readable response', async () => {
    const server = await startServer();
    const chunk = new Uint8Array(MiB);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1;
        if (sent > 100) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const init = { method: 'POST', body, duplex: 'half', headers: { 'content-length': String(100 * MiB) } };
    expect(await refusalOf(server.get(LIST, init as RequestInit))).to.equal('413 ERR_BODY_TOO_LARGE');
    await server.close();
  });
});
