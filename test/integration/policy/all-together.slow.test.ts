import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Identity } from '@portolan/plugin-api';
import audit from '@portolan/middleware-audit';
import { createTestProxyContext, eventually, openTestWorkloadKernel } from '@portolan/plugin-testing';
import cedar from '@portolan/proxy-authorization-cedar';
import rateLimit from '@portolan/proxy-rate-limit';
import toolFilter from '@portolan/proxy-tool-filter';
import webhooks from '@portolan/proxy-webhooks';
import telemetry from '@portolan/telemetry-otlp';
import { expect } from 'chai';
import houseRules from '../../../examples/custom-proxy-middleware/house-rules.ts';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { send } from '../../../packages/proxy/test/support/http-client.ts';
import { initialize, McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { ScriptedServers, type SentMessage } from '../../../packages/proxy/test/support/scripted-server.ts';
import { tokenProvider } from '../../../packages/proxy/test/support/token-provider.ts';
import {
  allow,
  openWebhookServer,
  type WebhookServer,
} from '../../../plugins/proxy-webhooks/test/webhook-server.ts';

const personOf = (subject: string): Identity => ({
  subject,
  claims: {
    sub: subject,
    iss: 'https://id.example',
    name: subject,
    groups: [subject === 'bob' ? 'guests' : 'staff'],
  },
});
const PEOPLE = { ann: personOf('ann'), bob: personOf('bob'), eve: personOf('eve') };

/** Cedar decides on the changed call: the server's tool name, and the arguments after both changes. */
const POLICIES = [
  'permit(principal in THVGroup::"staff", action == Action::"call_tool", resource == Tool::"fetch_url") when { context has arg_tenant && context.arg_tenant == "acme" && context has arg_city && context.arg_city == "Oslo" };',
  'permit(principal, action == Action::"call_tool", resource == Tool::"delete_all");',
];

const TOOLS = ['fetch_url', 'delete_all', 'hidden'].map((name) => ({ name, description: 'swordfish' }));

function answerOf({ id, method, params }: SentMessage): object | undefined {
  if (id === undefined || method === undefined) return undefined;
  if (method === 'tools/list') return { id, result: { tools: TOOLS } };
  const said = JSON.stringify({ called: params?.name, given: params?.arguments, word: 'swordfish' });
  if (method === 'tools/call') return { id, result: { content: [{ type: 'text', text: said }] } };
  return {
    id,
    result: {
      protocolVersion: params?.protocolVersion,
      capabilities: {},
      serverInfo: { name: 's', version: '1' },
    },
  };
}

describe('all policies together with policies of a plugin', function () {
  this.timeout(180_000);
  const proxies = new Proxies();
  const opened: (() => Promise<unknown>)[] = [];
  let hook: WebhookServer;
  let folder: string;
  let got: SentMessage[];
  afterEach(async () => {
    await proxies.close();
    for (const close of opened.splice(0).toReversed()) await close();
  });

  /** Settings in an unusual order: the path has its own order. */
  const settingsOf = (logFile: string): readonly (readonly [kind: string, value: object])[] => [
    ['masked-word', { word: 'swordfish' }],
    ['cedar', { version: '1.0', type: 'cedarv1', cedar: { policies: POLICIES } }],
    ['quiet-tools', { tools: ['delete_'] }],
    ['validating-webhooks', { webhooks: [hookNamed('validating')] }],
    ['fixed-argument', { argument: 'tenant', value: 'acme' }],
    ['mutating-webhooks', { webhooks: [hookNamed('mutating')] }],
    ['trace-context', {}],
    ['rate-limit', { perUser: { maxTokens: 4, refillPeriod: '1h' } }],
    ['tool-filter', { tools: ['web_get', 'delete_all'], override: { fetch_url: { name: 'web_get' } } }],
    ['telemetry', { enablePrometheusMetricsPath: true }],
    ['audit', { logFile, includeRequestData: true, includeResponseData: true }],
  ];
  const hookNamed = (name: string): object => ({
    name,
    url: hook.url,
    failurePolicy: 'fail',
    tls: { insecureSkipVerify: true },
  });

  async function open(transport: 'stdio' | 'streamable-http') {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-together-'));
    opened.push(() => rm(folder, { recursive: true, force: true }));
    got = [];
    hook = await openWebhookServer();
    opened.push(() => hook.close());
    hook.answer = (question, response) => {
      const { method, params }: SentMessage = question.mcp_request;
      const changes = method === 'tools/call' && params.arguments.city === 'Rome';
      const patch = [{ op: 'replace', path: '/mcp_request/params/arguments/city', value: 'Oslo' }];
      allow(changes ? { patch_type: 'json_patch', patch } : {})(question, response);
    };
    const kernel = await openTestWorkloadKernel({
      plugins: [houseRules, audit, cedar, rateLimit, toolFilter, webhooks, telemetry],
      directory: folder,
    });
    opened.push(() => kernel.close());
    const context = createTestProxyContext();
    const hostContext = {
      ...context,
      workload: { ...context.workload, transport, directory: path.join(folder, 'kept') },
    };
    const middleware = [];
    for (const [kind, value] of settingsOf(path.join(folder, 'audit.jsonl'))) {
      const given = { value, place: kind, origin: 'the test' };
      middleware.push(await kernel.createProxyMiddleware(kind, hostContext, given));
    }
    const options = { middleware, authProvider: tokenProvider(PEOPLE), transport };
    return await proxies.open(transport === 'stdio' ? bridged() : await spoken(), options);
  }

  function bridged() {
    const servers = new ScriptedServers({
      received: (message, server) => {
        got.push(message);
        const answer = answerOf(message);
        if (answer !== undefined) server.say(answer);
      },
    });
    return servers.backend();
  }

  async function spoken() {
    const backend = await HttpBackendUnderTest.start(({ method, body }, response) => {
      if (method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      const message: SentMessage = JSON.parse(body.toString());
      got.push(message);
      const answer = answerOf(message);
      if (answer === undefined) {
        response.writeHead(202).end();
        return;
      }
      const session = message.method === 'initialize' ? { 'Mcp-Session-Id': `s-${got.length}` } : {};
      response.writeHead(200, { 'Content-Type': 'application/json', ...session });
      response.end(JSON.stringify({ jsonrpc: '2.0', ...answer }));
    });
    opened.push(() => backend.close());
    return { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false } as const;
  }

  const as = (name: string) => ({ headers: { Authorization: `Bearer ${name}` } });
  const callOf = (id: number, name: string, args: object = { city: 'Rome', tenant: 'other' }) => ({
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const calls = (): readonly SentMessage[] => got.filter(({ method }) => method === 'tools/call');
  const asked = (): number => hook.received.filter(({ body }) => body.includes('"tools/call"')).length;
  // oxlint-disable-next-line typescript/no-explicit-any -- lines have many forms
  async function lines(): Promise<readonly any[]> {
    const text = await readFile(path.join(folder, 'audit.jsonl'), 'utf8');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line));
  }

  for (const transport of ['stdio', 'streamable-http'] as const) {
    it(`run in order in front of a server that speaks ${transport}`, async () => {
      const { url, origin } = await open(transport);
      async function connect(name: string): Promise<McpClient> {
        const answer = await new McpClient(url).post(initialize(), as(name));
        return new McpClient(url, String(answer.headers['mcp-session-id']));
      }
      const [ann, bob] = [await connect('ann'), await connect('bob')];

      // Names first, then the policies that change calls, then those that decide. Each sees the result of the
      // previous one.
      const { status, text } = await ann.post(callOf(1, 'web_get'), as('ann'));
      expect(status, text).to.equal(200);
      const args = { city: 'Oslo', tenant: 'acme' };
      expect(calls().map(({ params }) => [params.name, params.arguments])).to.deep.equal([
        ['fetch_url', args],
      ]);
      const [mutating, validating] = hook.received
        .map(({ body }): { readonly mcp_request: SentMessage; readonly principal: unknown } =>
          JSON.parse(body),
        )
        .filter(({ mcp_request: { method } }) => method === 'tools/call');
      expect(mutating?.mcp_request.params.name).to.equal('fetch_url');
      expect(validating?.mcp_request.params).to.deep.include({ name: 'fetch_url', arguments: args });
      expect(validating?.principal).to.deep.include({ sub: 'ann', name: 'ann' });
      // The plugin's mask is nearer to the server than the record, so the record contains the masked text.
      expect(text).to.include('***').and.not.to.include('swordfish');

      // The last policy refuses a call that others have allowed, with its own message.
      const denied = await bob.post(callOf(2, 'web_get'), as('bob'));
      expect([denied.status, denied.json.error.message]).to.deep.equal([200, 'Unauthorized']);
      const quiet = await ann.post(callOf(3, 'delete_all'), as('ann'));
      expect([quiet.status, quiet.json.error.message]).to.deep.equal([200, 'This tool is not for calling.']);
      expect(calls()).to.have.lengthOf(1);

      // Hidden tools, calls without a token, and calls above the limit are refused before the policies
      // decide.
      const before = asked();
      const hidden = await ann.post(callOf(4, 'fetch_url'), as('ann'));
      expect([hidden.status, hidden.json.error.code]).to.deep.equal([200, -32_602]);
      expect((await ann.post(callOf(5, 'web_get'))).status).to.equal(401);
      expect(asked()).to.equal(before);
      await ann.post(callOf(7, 'web_get'), as('ann'));
      await ann.post(callOf(8, 'web_get'), as('ann'));
      const now = asked();
      const late = await ann.post(callOf(9, 'web_get'), as('ann'));
      expect([late.status, late.json.error.message]).to.deep.equal([200, 'Rate limit exceeded']);
      expect(asked()).to.equal(now);
      // The rate limit applies to one caller, with one session. Sessions of another caller are unknown to it.
      expect((await ann.post(callOf(6, 'web_get'), as('eve'))).status).to.equal(404);

      // A list that is filtered by names and by Cedar, and masked by the plugin.
      const listed = await ann.post({ id: 10, method: 'tools/list' }, as('ann'));
      expect(listed.json.result.tools.map(({ name }: { name: string }) => name)).to.deep.equal([
        'delete_all',
      ]);
      expect(listed.text).not.to.include('swordfish');

      await eventually(async () => {
        const written = (await lines()).filter(({ type }) => type === 'mcp_tool_call');
        const shown = written.map(({ outcome, subjects, target, metadata }) => [
          outcome,
          subjects.user_id,
          target.name,
          target.visible_name,
          metadata.extra.status,
        ]);
        expect(shown).to.deep.include.members([
          ['success', 'ann', 'fetch_url', 'web_get', 200],
          ['denied', 'bob', 'fetch_url', 'web_get', 200],
          ['denied', 'ann', 'delete_all', undefined, 200],
          ['failure', 'ann', 'fetch_url', 'web_get', 200],
        ]);
        const [ok] = written.filter(({ outcome }) => outcome === 'success');
        expect(ok.data.request.params.arguments).to.deep.equal(args);
        expect(JSON.stringify(ok.data.response)).to.include('***').and.not.to.include('swordfish');
        const [line] = written.filter(({ subjects }) => subjects.user_id === 'bob');
        expect(line.metadata.extra.refusal).to.deep.equal(denied.json.error.data);
      });
      const { text: metrics } = await send(new URL('/metrics', origin));
      // Refusals also have status 200, but do not count as successes (run-formats.md 17.4).
      expect(metrics).to.match(
        /portolan_mcp_tool_calls_total\{server="[^"]*",tool="fetch_url",status="success"\} 3/,
      );
      expect(metrics).not.to.include('web_get');
    });
  }
});
