import type { ProxyMiddleware } from '@portolan/plugin-api';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { McpClient } from '../support/mcp-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';

/** Middleware that adds to each response the ids of its request and of itself. */
const WITNESS: ProxyMiddleware = {
  onResponse: (message, exchange) =>
    message.kind === 'response' && exchange.message?.kind === 'request'
      ? { change: [{ path: ['result', 'asked'], json: JSON.stringify([exchange.message.id, message.id]) }] }
      : undefined,
};

describe('id that a server spells differently', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  /** Opens a server that parses ids and serializes them again, as most servers do. */
  async function open(form: 'document' | 'stream'): Promise<McpClient> {
    const backend = await HttpBackendUnderTest.start(({ body }, response) => {
      const { id } = JSON.parse(body.toString()) as { readonly id: unknown };
      const text = JSON.stringify({ jsonrpc: '2.0', id, result: {} });
      const type = form === 'stream' ? 'text/event-stream' : 'application/json';
      response.writeHead(200, { 'Content-Type': type });
      response.end(form === 'stream' ? `event: message\ndata: ${text}\n\n` : text);
    });
    backends.push(backend);
    const { url } = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false },
      { middleware: [{ name: 'witness', placed: 'filter', instance: WITNESS }] },
    );
    return new McpClient(url);
  }

  for (const form of ['document', 'stream'] as const) {
    for (const id of ['1e2', '-0', '1.0', '9007199254740991', '"1e2"']) {
      it(`returns to the client in its own spelling: ${id}, as a ${form}`, async () => {
        const client = await open(form);
        const answer = await client.post(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
        expect(answer.status).to.equal(200);
        expect(answer.text).to.include(`"id":${id},`);
        const asked = JSON.stringify([id, id]);
        expect(answer.text).to.include(`"asked":${asked}`);
      });
    }

    it(`returns to the client in its own spelling in a batch, each a ${form}`, async () => {
      const client = await open(form);
      const batch = ['1e2', '-0', '2.0'].map((id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
      const answer = await client.post(`[${batch.join()}]`);
      expect([...answer.text.matchAll(/"id":([^,]+),/g)].map(([, id]) => id)).to.have.members([
        '1e2',
        '-0',
        '2.0',
      ]);
    });
  }
});
