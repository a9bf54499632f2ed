import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AuthProvider, ProxyMiddleware, ServerBackend } from '@portolan/plugin-api';
import { createTestProxyContext, eventually } from '@portolan/plugin-testing';
import { cedarAuthorization } from '@portolan/proxy-authorization-cedar';
import { toolFilter } from '@portolan/proxy-tool-filter';
import { mutatingWebhooks } from '@portolan/proxy-webhooks';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { ModernClient } from '../../../packages/proxy/test/support/modern-client.ts';
import { modernScript } from '../../../packages/proxy/test/support/modern-script.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { ScriptedServers } from '../../../packages/proxy/test/support/scripted-server.ts';
import { allow, openWebhookServer } from '../../../plugins/proxy-webhooks/test/webhook-server.ts';

/** List as text, because a filter has to keep the bytes of the remaining items. */
const SHOWN =
  '{"name":"fetch_url","inputSchema":{"$defs":{"n":{"type":"number","multipleOf":1.0,"maximum":1e2}},"x-unknown":[1.50,"\\u00e9"],"properties":{"a":{"$ref":"#/$defs/n"}}}}';
const HIDDEN = '{"name":"hidden_tool","inputSchema":{}}';
const LIST = `{"tools":[${HIDDEN},${SHOWN}],"nextCursor":"c2","resultType":"complete","ttlMs":5,"cacheScope":"public","_meta":{"of":1.0}}`;
const LEFT = LIST.replace(`${HIDDEN},`, '');
const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';

/** The request itself names the caller, because the test is about the later steps. */
const whoSays: AuthProvider = {
  verify: (_ctx, next) => next(),
  identify: (ctx) => ({ subject: ctx.get('X-Who') || 'ann', claims: {} }),
};

interface Asked {
  readonly id?: string | number;
  readonly method?: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every form
  readonly params?: any;
  /** The tool in the header is called. */
  readonly named?: unknown;
}

const answerTo = ({ id, method }: Asked): string => {
  const result =
    method === 'initialize'
      ? '{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}'
      : method === 'tools/list'
        ? LIST
        : '{"content":[]}';
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
};

const FORMS: readonly (readonly [
  title: string,
  type: string | undefined,
  write: (text: string) => string,
])[] = [
  ['as JSON', JSON_TYPE, (text) => text],
  ['as JSON with a byte order mark', JSON_TYPE, (text) => `\u{feff}${text}`],
  ['without a content type', undefined, (text) => text],
  ['as server-sent events', EVENTS, (text) => `data: ${text}\n\n`],
  ['as server-sent events with a byte order mark', EVENTS, (text) => `\u{feff}data: ${text}\r\n\r\n`],
];

describe('protocol cases of both eras that concern policies', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  const instances: ProxyMiddleware[] = [];
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-eras-'));
  });
  afterEach(async () => {
    await proxies.close();
    for (const instance of instances.splice(0)) await instance.close?.();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
    await rm(folder, { recursive: true, force: true });
  });

  async function serving([, type, write]: (typeof FORMS)[number]): Promise<HttpBackendUnderTest> {
    const backend = await HttpBackendUnderTest.start(({ body }, response) => {
      const message: Asked = JSON.parse(body.toString() || '{}');
      const isList = message.method === 'tools/list';
      response.setHeader('Content-Type', (isList ? type : JSON_TYPE) ?? '');
      if (isList && type === undefined) response.removeHeader('Content-Type');
      response.end(isList ? write(answerTo(message)) : answerTo(message));
    });
    backends.push(backend);
    return backend;
  }

  async function open(
    backend: HttpBackendUnderTest | ServerBackend,
    policy: { readonly tools?: object; readonly policies?: readonly string[] },
  ): Promise<URL> {
    const server: ServerBackend =
      backend instanceof HttpBackendUnderTest
        ? { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false }
        : backend;
    const given = createTestProxyContext();
    const transport = server.carries === 'http' ? 'streamable-http' : 'stdio';
    const context = {
      ...given,
      workload: { ...given.workload, transport, directory: path.join(folder, 'kept') },
    };
    const middleware = [];
    if (policy.tools !== undefined) {
      // SAFETY: the tests write values that the schema of the kind allows.
      const config = policy.tools as Parameters<typeof toolFilter.create>[0];
      middleware.push({
        name: 'tool-filter',
        placed: 'names',
        instance: await toolFilter.create(config, context),
      } as const);
    }
    if (policy.policies !== undefined) {
      const cedar = {
        policies: policy.policies,
        entities_json: '',
        group_claim_name: '',
        role_claim_name: '',
        group_entity_type: 'THVGroup',
        multi_valued_claims: [],
        primary_upstream_provider: '',
      };
      const config = { version: '1.0', type: 'cedarv1', cedar } as const;
      middleware.push({
        name: 'cedar',
        placed: 'authorize',
        instance: await cedarAuthorization.create(config, context),
      } as const);
    }
    instances.push(...middleware.map(({ instance }) => instance));
    return (await proxies.open(server, { middleware, authProvider: whoSays })).url;
  }

  const resultIn = (text: string): string => /"result":(.*)\}\s*$/.exec(text)?.[1] ?? text;

  for (const form of FORMS) {
    it(`E09: filters a list ${form[0]}`, async () => {
      const url = await open(await serving(form), { tools: { tools: ['fetch_url'], override: {} } });
      const client = await McpClient.connect(url);
      const { status, text } = await client.post({ id: 2, method: 'tools/list' });
      expect([status, text.includes('hidden_tool'), text.includes('fetch_url')]).to.deep.equal([
        200,
        false,
        true,
      ]);
    });
  }

  const PATHS = ['a server that speaks HTTP', 'a server on standard input and output'] as const;
  const received: Asked[] = [];
  /** A server without sessions. `received` contains the requests after the discovery. */
  async function modernServer(way: (typeof PATHS)[number]): Promise<HttpBackendUnderTest | ServerBackend> {
    received.length = 0;
    if (way === PATHS[0]) {
      const backend = await HttpBackendUnderTest.start(({ body, headers }, response) => {
        const message: Asked = JSON.parse(body.toString());
        received.push({ ...message, named: headers['mcp-name'] });
        response.setHeader('Content-Type', JSON_TYPE).end(answerTo(message));
      });
      backends.push(backend);
      return backend;
    }
    const script = modernScript();
    const servers = new ScriptedServers({
      received: (message, server) => {
        if (message.method === 'server/discover') return script.received?.(message, server);
        // SAFETY: the proxy numbers its requests itself.
        const asked = { ...message, id: message.id as string };
        received.push(asked);
        server.write(answerTo(asked));
      },
    });
    return servers.backend();
  }

  const permit = (action: string, resource: string): string =>
    `permit(principal == Client::"ann", action == Action::"${action}", resource == ${resource});`;
  const as = (subject: string) => ({ 'X-Who': subject });

  it('A16: removes an argument that a webhook has redacted also from the header that repeats it', async () => {
    const webhook = await openWebhookServer();
    try {
      const patch = [{ op: 'replace', path: '/mcp_request/params/arguments/patient', value: 'redacted' }];
      webhook.answer = allow({ patch_type: 'json_patch', patch });
      const hook = {
        name: 'redact',
        url: webhook.url,
        timeout: '10s',
        failurePolicy: 'fail',
        tls: { insecureSkipVerify: true },
        compat: false,
      } as const;
      const instance = await mutatingWebhooks.create({ webhooks: [hook] }, createTestProxyContext());
      instances.push(instance);
      const backend = await HttpBackendUnderTest.start(({ body }, response) => {
        response.setHeader('Content-Type', JSON_TYPE).end(answerTo(JSON.parse(body.toString())));
      });
      backends.push(backend);
      const { url } = await proxies.open(
        { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false },
        { middleware: [{ name: 'mutating-webhooks', placed: 'mutate', instance }] },
      );
      const args = { patient: 'Ann Other', region: 'eu' };
      const { status } = await new ModernClient(url).post(
        { method: 'tools/call', params: { name: 'fetch_url', arguments: args } },
        { 'Mcp-Param-Patient': args.patient, 'Mcp-Param-Region': args.region, 'Mcp-Param-Copy': 'Ann Other' },
      );
      expect(status).to.equal(200);
      const [got] = backend.received;
      expect(JSON.parse(got?.body.toString() ?? '').params.arguments.patient).to.equal('redacted');
      expect(got?.headers).to.include({ 'mcp-param-patient': 'redacted', 'mcp-param-region': 'eu' });
      expect(JSON.stringify([got?.headers, got?.body.toString()])).not.to.include('Ann Other');
    } finally {
      await webhook.close();
    }
  });

  for (const way of PATHS) {
    it(`E10, E11: removes only hidden tools from a list, and keeps every other byte: ${way}`, async () => {
      const url = await open(await modernServer(way), { tools: { tools: ['fetch_url'], override: {} } });
      const { text } = await new ModernClient(url).post({ method: 'tools/list' });
      expect(resultIn(text)).to.equal(LEFT);
    });

    it(`E10: marks a list that depends on the caller as private: ${way}`, async () => {
      const policies = [permit('call_tool', 'Tool::"fetch_url"')];
      const url = await open(await modernServer(way), { policies });
      const { text } = await new ModernClient(url).post({ method: 'tools/list' });
      expect(resultIn(text)).to.equal(LEFT.replace('"public"', '"private"'));
    });

    it(`E12, E13: calls a renamed tool by its new name only, and refuses a hidden tool: ${way}`, async () => {
      const tools = { tools: ['web_get'], override: { fetch_url: { name: 'web_get' } } };
      const client = new ModernClient(await open(await modernServer(way), { tools }));
      const call = (name: string) => client.post({ method: 'tools/call', params: { name } });
      expect((await call('web_get')).status).to.equal(200);
      const [got] = received.filter(({ method }) => method === 'tools/call');
      expect(got?.params?.name).to.equal('fetch_url');
      if (way === PATHS[0]) expect(got?.named).to.equal('fetch_url');
      const answers = [await call('fetch_url'), await call('hidden_tool'), await call('nobody_has_it')];
      for (const { status, json } of answers) {
        expect([status, json.error.code]).to.deep.equal([200, -32602]);
        expect(json).to.deep.equal(answers[0]?.json);
      }
      expect(received.filter(({ method }) => method === 'tools/call')).to.have.length(1);
    });

    it(`F08, F09: lists and calls only the tool that policy permits: ${way}`, async () => {
      const policies = [permit('call_tool', 'Tool::"fetch_url"')];
      const client = new ModernClient(await open(await modernServer(way), { policies }));
      const call = (name: string, more: object = {}) =>
        client.post({ method: 'tools/call', params: { name, ...more } });
      expect((await client.post({ method: 'tools/list' })).text).not.to.include('hidden_tool');
      const denied = ({ status, json }: Awaited<ReturnType<typeof call>>) => [status, json.error.code];
      expect((await call('fetch_url')).json.error).to.equal(undefined);
      expect(denied(await call('hidden_tool'))).to.deep.equal([200, 403]);
      const again = { requestState: 'as before', inputResponses: { a: { action: 'accept', content: {} } } };
      expect(denied(await call('hidden_tool', again))).to.deep.equal([200, 403]);
      expect((await client.post({ method: 'server/discover' })).status).to.equal(200);
      expect(denied(await client.post({ method: 'acme/unheard-of' }))).to.deep.equal([404, -32601]);
      expect(received.map(({ method }) => method)).not.to.include('acme/unheard-of');
    });

    it(`F10: refuses a caller access to the task of another caller: ${way}`, async () => {
      const policies = [permit('call_tool', 'Tool::"fetch_url"')];
      const client = new ModernClient(await open(await modernServer(way), { policies }));
      const get = { method: 'tasks/get', params: { taskId: 'of-ann' } };
      const { status, json } = await client.post(get, as('bob'));
      expect([status, json.error.code]).to.deep.equal([200, 403]);
      expect(received.map(({ method }) => method)).not.to.include('tasks/get');
    });

    it(`C18: removes forbidden resources from a subscription: ${way}`, async () => {
      const policies = [permit('read_resource', 'Resource::"file:a"')];
      const url = await open(await modernServer(way), { policies });
      const notifications = { resourceSubscriptions: ['file:a', 'file:b'], toolsListChanged: true };
      void new ModernClient(url).stream({ method: 'subscriptions/listen', params: { notifications } });
      const got = await eventually(() => {
        const found = received.find(({ method }) => method === 'subscriptions/listen');
        if (found === undefined) throw new Error('not asked yet');
        return found;
      });
      expect(got.params?.notifications?.resourceSubscriptions).to.deep.equal(['file:a']);
    });
  }
});
