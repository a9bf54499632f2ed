import { randomUUID } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually, startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { HttpBackendUnderTest, type Received } from '../../../packages/proxy/test/support/http-backend.ts';
import { send } from '../../../packages/proxy/test/support/http-client.ts';
import { json, messageIn } from '../../../packages/proxy/test/support/http-fixtures.ts';
import {
  answerToken,
  ExchangeEndpoint,
} from '../../../plugins/proxy-token-exchange/test/exchange-endpoint.ts';
import { giveSecretStore } from '../../support/own-secrets.ts';
import { PolicyBench, urlOf } from './support/policy-bench.ts';

/** Members of the virtual server, by what they get of callers and of the workload. */
const MEMBERS = ['none', 'stored', 'secret', 'exchanged', 'passing', 'modern'] as const;
type MemberName = (typeof MEMBERS)[number];

/** Headers of every client in this file. None of them may reach a member. */
const CLIENT_HEADERS = {
  Cookie: 'session=of-the-client',
  'Proxy-Authorization': 'Basic of-the-client',
  'X-Forwarded-User': 'of-the-client',
  'X-Real-Ip': '203.0.113.7',
  Te: 'trailers',
  'Keep-Alive': 'timeout=77',
  'X-Hop': 'of-the-connection',
  'X-Other': 'of-the-client',
};

const UNSENT = ['of-the-client', 'of-the-connection', '203.0.113.7', 'timeout=77', 'trailers'];

describe('credentials of members', function () {
  this.timeout(180_000);
  let bench: PolicyBench;
  let issuer: TestIssuer;
  let endpoint: ExchangeEndpoint;
  let servers: Readonly<Record<MemberName, HttpBackendUnderTest>>;
  let url: URL;

  before(async () => {
    bench = await PolicyBench.open({ PORTOLAN_SECRETS_PASSWORD: 'a long password' });
    await giveSecretStore(bench.root, 'a long password');
    issuer = await startTestIssuer({ algorithm: 'ES256', audience: 'desk' });
    endpoint = await ExchangeEndpoint.open((response, asked) => {
      const { sub } = claimsOf(asked.form.get('subject_token') ?? '');
      answerToken(response, asked, { access_token: `${asked.form.get('audience')}-token-of-${sub}` });
    });
    servers = {
      none: await HttpBackendUnderTest.start(serveTools()),
      stored: await HttpBackendUnderTest.start(serveTools(/^Bearer stored-token$/)),
      secret: await HttpBackendUnderTest.start(serveTools()),
      exchanged: await HttpBackendUnderTest.start(serveTools(/^Bearer backend-token-of-\w+$/)),
      passing: await HttpBackendUnderTest.start(serveTools()),
      modern: await HttpBackendUnderTest.start(serveTools(/^Bearer modern-token-of-\w+$/, true)),
    };
    await bench.write('token.txt', 'stored-token');
    await bench.storeSecret('member-key', 'secret-key');
    url = await start();
  });
  after(async () => {
    await bench.close();
    for (const server of Object.values(servers)) await server.close();
    await endpoint.close();
    await issuer.close();
  });

  async function start(): Promise<URL> {
    const at = (member: MemberName): string => new URL('/mcp', servers[member].url).href;
    const file = await bench.write(
      'desk.json',
      JSON.stringify({
        members: {
          none: { url: at('none'), credentials: 'none' },
          stored: { url: at('stored'), remote_auth: { bearer_token_file: 'token.txt' } },
          secret: { url: at('secret'), forward_headers_secret: { 'X-Api-Key': 'member-key' } },
          exchanged: {
            url: at('exchanged'),
            credentials: 'exchange',
            token_exchange: { token_url: endpoint.url, audience: 'backend', client_id: 'desk' },
          },
          passing: { url: at('passing'), credentials: 'none', pass_headers: ['X-Team', 'X-Hop'] },
          modern: {
            url: at('modern'),
            credentials: 'exchange',
            token_exchange: { token_url: endpoint.url, audience: 'modern', client_id: 'desk' },
          },
        },
      }),
    );
    return await urlOf(
      await bench.portolan(
        'run',
        `--members=${file}`,
        '--name=desk',
        `--oidc-issuer=${issuer.issuerUrl}`,
        '--oidc-audience=desk',
        '--jwks-allow-private-ip',
      ),
    );
  }

  const headersOf = (sub: string, team: string): Record<string, string> => ({
    ...CLIENT_HEADERS,
    Connection: 'keep-alive, X-Hop',
    Authorization: `Bearer ${issuer.sign({ sub })}`,
    'X-Team': team,
  });

  async function callLegacy(sub: string, team: string): Promise<Readonly<Record<string, string>>> {
    const client = new Client({ name: 'test', version: '1' });
    // Other than `fetch`, this sends the headers of the connection as well.
    const withHeaders = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
      const { status, headers, text } = await send(input, {
        method: init.method ?? 'GET',
        headers: { ...Object.fromEntries(new Headers(init.headers)), ...headersOf(sub, team) },
        ...(typeof init.body === 'string' ? { body: init.body } : {}),
      });
      return new Response(status === 202 || status === 204 ? null : text, {
        status,
        headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      });
    };
    const transport = new StreamableHTTPClientTransport(url, {
      fetch: async (input, init) =>
        init?.method === 'GET' ? new Response(null, { status: 405 }) : await withHeaders(input, init),
    });
    await client.connect(transport);
    try {
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).to.include.members(MEMBERS.map((member) => `${member}_show`));
      expect(names.filter((name) => name.startsWith('passing_of-'))).to.deep.equal([`passing_of-${team}`]);
      const results: Record<string, string> = {};
      for (const member of MEMBERS) {
        const { content } = await client.callTool({ name: `${member}_show`, arguments: {} });
        // SAFETY: the servers of this test return one text.
        results[member] = (content as readonly { readonly text: string }[])[0]?.text ?? '';
      }
      return results;
    } finally {
      await transport.terminateSession();
      await client.close();
    }
  }

  async function askModern(sub: string, team: string, method: string, params: object = {}): Promise<Reply> {
    const name = 'name' in params ? { 'Mcp-Name': String(params.name) } : {};
    const { text } = await send(url, {
      method: 'POST',
      headers: {
        ...headersOf(sub, team),
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        ...name,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: MODERN_META } }),
    });
    const data = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
    // SAFETY: the proxy responds with JSON-RPC messages.
    return JSON.parse(data) as Reply;
  }

  async function callModern(sub: string, team: string): Promise<Readonly<Record<string, string>>> {
    await eventually(async () => {
      const { result } = await askModern(sub, team, 'tools/list');
      expect(result?.tools?.map(({ name }) => name)).to.include.members(MEMBERS.map((one) => `${one}_show`));
    });
    const results: Record<string, string> = {};
    for (const member of MEMBERS) {
      const reply = await askModern(sub, team, 'tools/call', { name: `${member}_show`, arguments: {} });
      results[member] = reply.result?.content?.[0]?.text ?? JSON.stringify(reply);
    }
    return results;
  }

  const clients = [
    { era: 'Legacy', call: callLegacy },
    { era: 'Modern', call: callModern },
  ] as const;
  for (const { era, call } of clients) {
    it(`member › gets its own credentials and those of no other when ${era} clients call`, async () => {
      for (const sub of ['ada', 'bob']) {
        const shown = await call(sub, `team-of-${sub}`);
        expect(shown).to.deep.equal({
          none: '- - -',
          stored: 'Bearer stored-token - -',
          secret: '- secret-key -',
          exchanged: `Bearer backend-token-of-${sub} - -`,
          passing: `- - team-of-${sub}`,
          modern: `Bearer modern-token-of-${sub} - -`,
        });
      }
      for (const member of MEMBERS) {
        const seen = servers[member].received.flatMap(({ rawHeaders }) => rawHeaders).join('\n');
        for (const text of UNSENT) expect(seen, member).not.to.include(text);
        expect(seen.includes('stored-token'), member).to.equal(member === 'stored');
        expect(seen.includes('secret-key'), member).to.equal(member === 'secret');
        expect(seen.includes('backend-token-of'), member).to.equal(member === 'exchanged');
        expect(seen.includes('modern-token-of'), member).to.equal(member === 'modern');
        expect(seen.includes('team-of-'), member).to.equal(member === 'passing');
        expect(seen, member).not.to.match(/Bearer ey/);
      }
    });
  }

  it('session › has the credentials of its client when the proxy sends a message of its own', async () => {
    const { received } = servers.exchanged;
    await eventually(() => expect(received.map(({ method }) => method)).to.include('DELETE'));
    const own = received.filter(
      (request) => request.method !== 'POST' || messageIn(request).method === 'notifications/initialized',
    );
    expect(own.map(({ method }) => method)).to.include.members(['DELETE', 'GET', 'POST']);
    for (const { headers } of own) expect(headers.authorization).to.match(/^Bearer backend-token-of-/);
  });

  it('lists › differ when callers pass different headers to a member', async () => {
    for (const team of ['red', 'blue', 'red']) {
      const { result } = await askModern('ada', team, 'tools/list');
      const names = result?.tools?.map(({ name }) => name).filter((name) => /(?:red|blue)$/.test(name));
      expect(names).to.deep.equal([`passing_of-${team}`]);
    }
  });

  it('members file › is refused when pass_headers names credentials or headers of the connection', async () => {
    const refused = ['Authorization', 'cookie', 'Proxy-Authorization', 'Connection', 'TE', 'X-Forwarded-For'];
    const members = { one: { url: 'https://one.example/mcp', pass_headers: refused } };
    const file = await bench.write('refused.json', JSON.stringify({ members }));
    const { status, stderr } = await bench.portolan('run', `--members=${file}`);
    expect(status).to.equal(2);
    for (const at of refused.keys()) expect(stderr).to.include(`members.one.pass_headers[${at}]`);
  });
});

interface Reply {
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[];
    readonly content?: readonly { readonly text: string }[];
  };
}

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function claimsOf(token: string): { readonly sub?: string } {
  const [, payload = ''] = token.split('.');
  // SAFETY: the issuer of this test has signed the token.
  return JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}') as { readonly sub?: string };
}

/** Returns a handler of a server with one protocol era that rejects requests without an expected token. */
function serveTools(
  expected?: RegExp,
  isModern = false,
): ConstructorParameters<typeof HttpBackendUnderTest>[0] {
  return (request, response) => {
    const { authorization = '' } = request.headers;
    if (expected !== undefined && !expected.test(authorization)) {
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
      return;
    }
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      return;
    }
    const { id, method } = messageIn(request);
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const isOfEra = isModern ? method !== 'initialize' : method !== 'server/discover';
    const result = isOfEra ? resultOf(request, method) : undefined;
    const reply =
      result === undefined ? { error: { code: -32_601, message: 'Method not found' } } : { result };
    const session = method === 'initialize' ? { 'Mcp-Session-Id': randomUUID() } : undefined;
    json(response, { jsonrpc: '2.0', id, ...reply }, session);
  };
}

const COMPLETE = { resultType: 'complete', ttlMs: 0, cacheScope: 'public' };

function resultOf({ headers }: Received, method = ''): object | undefined {
  const { authorization = '-', 'x-api-key': key = '-', 'x-team': team = '-' } = headers;
  const inputSchema = { type: 'object' };
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'member', version: '1' },
      };
    case 'server/discover':
      return { ...COMPLETE, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    case 'tools/list':
      return {
        ...COMPLETE,
        tools: [
          { name: 'show', inputSchema },
          ...(team === '-' ? [] : [{ name: `of-${String(team)}`, inputSchema }]),
        ],
      };
    case 'tools/call':
      return {
        resultType: 'complete',
        content: [{ type: 'text', text: `${authorization} ${String(key)} ${String(team)}` }],
      };
    default:
      return undefined;
  }
}
