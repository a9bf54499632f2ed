import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { type Answer, send } from '../support/http-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';

const RESULT = '{"jsonrpc":"2.0","id":1,"result":{}}';
const OK = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${RESULT.length}\r\n\r\n${RESULT}`;

const post = (method: string, params = '{}') => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`,
});
const CALL = post('tools/call', '{"name":"pay"}');

/**
 * The server resets a reused connection when the next request arrives, as a server does that has just closed
 * an idle connection.
 */
describe('connection that the server closes at the moment of use', () => {
  const proxies = new Proxies();
  const sockets = new Set<Socket>();
  let server: Server;
  /** Number of requests on each connection, in the order of opening. */
  let requests: number[];
  let breaks: (connection: number, nth: number) => boolean;
  beforeEach(async () => {
    requests = [];
    breaks = (_connection, nth) => nth > 1;
    server = createServer((socket) => {
      const connection = requests.push(0) - 1;
      sockets.add(socket.once('close', () => sockets.delete(socket)).on('error', () => undefined));
      socket.on('data', (bytes) => {
        if (!/^[A-Z]+ \S+ HTTP\/1\.1/.test(bytes.toString('latin1'))) return;
        const nth = (requests[connection] ?? 0) + 1;
        requests[connection] = nth;
        if (breaks(connection, nth)) socket.resetAndDestroy();
        else socket.write(OK);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    await proxies.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  async function twice(second: Parameters<typeof send>[1]): Promise<Answer> {
    const { port } = server.address() as AddressInfo;
    const target = new URL(`http://127.0.0.1:${port}`);
    const { url } = await proxies.open({
      carries: 'http',
      transport: 'streamable-http',
      target,
      isRemote: false,
    });
    expect((await send(url, post('ping'))).status).to.equal(200);
    return await send(url, second);
  }

  const repeated = [
    { title: 'the start of a stream', sent: { headers: { Accept: 'text/event-stream' } } },
    { title: 'tools/list', sent: post('tools/list') },
    { title: 'server/discover', sent: post('server/discover') },
  ];
  for (const { title, sent } of repeated) {
    it(`is replaced, and the request repeated, for ${title}`, async () => {
      expect((await twice(sent)).status).to.equal(200);
      expect(requests).to.deep.equal([2, 1]);
    });
  }

  const told = [
    { title: 'a tool call', sent: CALL },
    { title: 'the end of a session', sent: { method: 'DELETE', headers: { 'Mcp-Session-Id': 's' } } },
    { title: 'initialize', sent: post('initialize') },
    { title: 'a batch', sent: { ...CALL, body: `[${post('tools/list').body}]` } },
  ];
  for (const { title, sent } of told) {
    it(`causes an error instead of a repetition for ${title}, which may have side effects`, async () => {
      expect((await twice(sent)).status).to.equal(502);
      expect(requests).to.deep.equal([2]);
    });
  }

  it('causes an error when it happens twice', async () => {
    breaks = (connection, nth) => connection > 0 || nth > 1;
    const answer = await twice(post('tools/list'));
    expect([answer.status, answer.json.id]).to.deep.equal([502, 1]);
    expect(requests).to.deep.equal([2, 1]);
  });
});
