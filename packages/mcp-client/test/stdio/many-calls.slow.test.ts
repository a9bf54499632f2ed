import { serveStdioClient } from '@portolan/mcp-client';
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Writable } from 'node:stream';

const CALLS = 100;

describe('serveStdioClient', () => {
  it('waits with one listener for an output that is full while many responses arrive', async function () {
    this.timeout(60_000);
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { id }: { id: unknown } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // SAFETY: the server listens on a TCP port.
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const counts: number[] = [];
    const waiting: (() => void)[] = [];
    const output = new Writable({
      highWaterMark: 1,
      // The first write completes when every response is in the buffer.
      write: (_chunk, _encoding, done) => void waiting.push(done),
    });
    output.on('newListener', () => counts.push(output.listenerCount('drain')));
    const input = new PassThrough();
    const target = { url, transport: 'streamable-http', endpointPrefix: '', headers: {} } as const;
    const finished = serveStdioClient(
      {
        input,
        output,
        name: 'notes',
        findTarget: async () => Promise.resolve(target),
        tell: () => undefined,
        signal: new AbortController().signal,
        graceMs: 50_000,
      },
      '1.0.0',
    );
    for (let id = 1; id <= CALLS; id += 1) {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
    }
    input.end();
    await finished;
    server.close();
    expect(output.writableLength).to.be.above(1);
    expect(Math.max(...counts, output.listenerCount('drain'))).to.equal(1);
    output.destroy();
  });
});
