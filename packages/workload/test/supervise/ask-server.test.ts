import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { expect } from 'chai';
import { type Asked, askServer } from '../../src/supervise/ask-server.ts';

describe('askServer', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  async function ask(handle: RequestListener): Promise<Asked> {
    const server = createServer(handle).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const url = new URL(`http://127.0.0.1:${port}/mcp`);
    const { signal } = new AbortController();
    return await askServer({ url, speaks: 'streamable-http', endpointPrefix: '', version: '1', signal });
  }

  const greets: RequestListener = (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': 'one' });
    response.end('{"jsonrpc":"2.0","id":"portolan-ready","result":{}}');
  };
  const endings: readonly { title: string; end: RequestListener }[] = [
    { title: 'ends the session', end: (_request, response) => response.writeHead(204).end() },
    {
      title: 'does not know how to end the session',
      end: (_request, response) => response.writeHead(405).end(),
    },
    { title: 'breaks off when the session is ended', end: (request) => request.socket.destroy() },
    { title: 'never answers when the session is ended', end: () => undefined },
  ];
  for (const { title, end } of endings) {
    it(`is answered by a server that ${title}`, async () => {
      const asked = await ask((request, response) =>
        request.method === 'DELETE' ? end(request, response) : greets(request, response),
      );
      expect(asked).to.deep.include({ outcome: 'answered' });
    });
  }

  it('is refused by one that wants credentials, and gets nothing from one that fails', async () => {
    const answering = (status: number) => ask((_request, response) => response.writeHead(status).end());
    expect(await answering(401)).to.include({ outcome: 'refused' });
    expect(await answering(500)).to.deep.include({ outcome: 'nothing', why: 'it answered with status 500' });
    expect(await ask((request) => request.socket.destroy())).to.include({ outcome: 'nothing' });
  });
});
