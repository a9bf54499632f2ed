import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { runPortolan } from '../../../test/support/command-line.ts';

const SPEAKS = '2025-06-18';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

/**
 * Returns a server that rejects a newer revision with an error, as `mcp.slack.com` does, instead of naming
 * its own.
 */
function refusingServer(status: number, data: object, offered: string[]): Server {
  return createServer((request, response) => {
    void answer().then(({ code, body }) =>
      response.writeHead(code, { 'Content-Type': 'application/json' }).end(body),
    );
    async function answer(): Promise<{ readonly code: number; readonly body: string }> {
      if (request.method !== 'POST') return { code: 405, body: '' };
      // SAFETY: the command sends single messages.
      const { id, method, params } = JSON.parse(await text(request)) as Message;
      const reply = (result: object) => ({
        code: 200,
        body: JSON.stringify({ jsonrpc: '2.0', id, result }),
      });
      if (id === undefined) return { code: 202, body: '' };
      const version = params?.protocolVersion ?? '';
      if (method === 'initialize') offered.push(version);
      if (method === 'tools/list')
        return reply({ tools: [{ name: 'tides', inputSchema: { type: 'object' } }] });
      if (method === 'initialize' && version <= SPEAKS) {
        const serverInfo = { name: 'old', version: '1' };
        return reply({ protocolVersion: version, capabilities: { tools: {} }, serverInfo });
      }
      const error = { code: -32602, message: 'Unsupported protocol version', ...data };
      return { code: status, body: JSON.stringify({ jsonrpc: '2.0', id, error }) };
    }
  });
}

describe('portolan mcp', function () {
  this.timeout(60_000);

  for (const { status, data, title } of [
    { status: 400, data: { data: { supported: [SPEAKS] } }, title: 'with status 400 and its own revision' },
    { status: 200, data: { data: { supported: [SPEAKS] } }, title: 'with status 200 and its own revision' },
    { status: 400, data: {}, title: 'with status 400 and no revision' },
    { status: 200, data: {}, title: 'with status 200 and no revision' },
  ]) {
    it(`lists the tools of a server that refuses a newer revision ${title} (openwork PR #3569)`, async () => {
      const offered: string[] = [];
      const server = refusingServer(status, data, offered).listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        const address = server.address();
        const port = typeof address === 'object' ? address?.port : 0;
        const listed = await runPortolan(['mcp', 'tools', `http://127.0.0.1:${port}/mcp`]);
        expect(listed.stderr).to.equal('');
        expect(listed).to.include({ status: 0 });
        expect(listed.stdout).to.contain('tides');
        expect(offered).to.deep.equal(['2025-11-25', SPEAKS]);
      } finally {
        server.close().closeAllConnections();
      }
    });
  }

  it('shows the first refusal when a server refuses every revision', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.method === 'POST' ? 400 : 405, { 'Content-Type': 'application/json' });
      response.end('{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"Closed for today"}}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const listed = await runPortolan(['mcp', 'tools', `http://127.0.0.1:${port}/mcp`]);
      expect(listed).to.include({ status: 1, stdout: '' });
      expect(listed.stderr).to.contain('Closed for today');
    } finally {
      server.close().closeAllConnections();
    }
  });
});
