import type { Identity } from '@portolan/plugin-api';
import { createTestProxyContext } from '@portolan/plugin-testing';
import { type RateLimitConfig, rateLimit } from '@portolan/proxy-rate-limit';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { ModernClient } from '../../../packages/proxy/test/support/modern-client.ts';
import { modernScript } from '../../../packages/proxy/test/support/modern-script.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { ScriptedServers } from '../../../packages/proxy/test/support/scripted-server.ts';
import { speak, speakHttp } from '../../../packages/proxy/test/support/spoken-to.ts';
import { tokenProvider } from '../../../packages/proxy/test/support/token-provider.ts';

const call = (id: number, name = 'plain') => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});
const REFUSED = { code: 429, message: 'Rate limit exceeded', data: { retryAfterSeconds: 1800 } };
const TWICE: Partial<RateLimitConfig> = { perUser: { maxTokens: 2, refillPeriod: '1h' } };

describe('rate limit of the proxy', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function limited(config: Partial<RateLimitConfig> = TWICE) {
    const instance = await rateLimit.create({ methods: ['tools/call'], ...config }, createTestProxyContext());
    return [{ name: 'rate-limit', placed: rateLimit.placed, instance }];
  }

  const messages = (script: ConstructorParameters<typeof ScriptedServers>[0]) =>
    new ScriptedServers(script).backend();

  async function http() {
    const backend = await HttpBackendUnderTest.start(speakHttp);
    backends.push(backend);
    const target = new URL('/mcp', backend.url);
    return { carries: 'http' as const, transport: 'streamable-http' as const, target, isRemote: false };
  }

  for (const server of ['a bridge', 'a server that speaks HTTP'] as const) {
    it(`refuses requests of a batch one by one, in front of ${server}`, async () => {
      const backend = server === 'a bridge' ? messages({ received: speak }) : await http();
      const { url } = await proxies.open(backend, { middleware: await limited() });
      const client = await McpClient.connect(url, { version: '2025-03-26' });
      const batch = JSON.stringify([1, 2, 3, 4].map((id) => call(id)));
      const { status, json } = await client.post(batch, { accept: 'application/json' });
      expect(status).to.equal(200);
      const answers = json as readonly { readonly id: number; readonly error?: object }[];
      expect(new Map(answers.map(({ id, error }) => [id, error]))).to.deep.equal(
        new Map([
          [1, undefined],
          [2, undefined],
          [3, REFUSED],
          [4, REFUSED],
        ]),
      );
    });
  }

  it('refuses requests of the newer protocol revision with the same header and error', async () => {
    const { url } = await proxies.open(
      messages(
        modernScript({
          received: ({ id }, server) => server.say({ id, result: { content: [], resultType: 'complete' } }),
        }),
      ),
      { middleware: await limited() },
    );
    const client = new ModernClient(url);
    const statuses: number[] = [];
    for (const id of [1, 2]) statuses.push((await client.post({ ...call(id) })).status);
    expect(statuses).to.deep.equal([200, 200]);
    const refused = await client.post({ ...call(3) });
    expect([
      refused.status,
      refused.headers['retry-after'],
      refused.json.id,
      refused.json.error,
    ]).to.deep.equal([200, '1800', 3, REFUSED]);
  });

  it('counts callers by their verified identity', async () => {
    const of = (subject: string): Identity => ({ subject, claims: { iss: 'https://id.example' } });
    const { url } = await proxies.open(await http(), {
      middleware: await limited(),
      authProvider: tokenProvider({ ada: of('ada'), 'ada-again': of('ada'), bob: of('bob') }),
    });
    const codes: unknown[] = [];
    for (const token of ['ada', 'ada-again', 'ada', 'bob']) {
      const headers = { Authorization: `Bearer ${token}` };
      codes.push((await new McpClient(url).post(call(1), { headers })).json.error?.code);
    }
    expect(codes).to.deep.equal([undefined, undefined, 429, undefined]);
  });
});
