import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { useWorkloadBench } from './support/workload-bench.ts';

const MODERN = '2026-07-28';

/** A minimal server of the newer revision only. */
const SERVER = `
const answers = {
  'server/discover': () => ({ supportedVersions: ['${MODERN}'], capabilities: { tools: {} } }),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: JSON.stringify(params.arguments) }] }),
};
const hints = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const refusal = { code: -32022, message: 'Unsupported protocol version', data: { supported: ['${MODERN}'], requested: 'an older one' } };
const answer = ({ method, params }) => {
  if (method === 'initialize') return { error: refusal };
  const own = answers[method];
  return own === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result: { ...hints, ...own(params) } };
};
let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const m = JSON.parse(line);
    if (m.id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: m.id, ...answer(m) }) + '\\n');
  }
}).on('end', () => process.exit(0));
`;

describe('superviseWorkload with a server without a handshake', function () {
  this.timeout(180_000);
  const bench = useWorkloadBench();

  for (const stdioSessions of ['own', 'shared'] as const) {
    it(`passes its health check, and serves a client of its revision: ${stdioSessions} processes`, async () => {
      const fields: Partial<RunConfig> = {
        transport: 'stdio',
        stdio_sessions: stdioSessions,
        cmd_args: ['node', '-e', SERVER],
      };
      const config = await bench.config(fields);
      const workload = await bench.supervise(config);
      const { url } = await workload.ready;
      const client = new Client(
        { name: 'newer', version: '1' },
        { versionNegotiation: { mode: { pin: MODERN } } },
      );
      try {
        await client.connect(new StreamableHTTPClientTransport(new URL(url)));
        expect((await client.listTools()).tools.map(({ name }) => name)).to.deep.equal(['echo']);
        const { content } = await client.callTool({ name: 'echo', arguments: { a: 1 } });
        expect(content).to.deep.equal([{ type: 'text', text: '{"a":1}' }]);
      } finally {
        await client.close();
      }
      expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
      expect(await bench.containers(config.name)).to.deep.equal([]);
    });
  }
});
