import { type ClientMessage, type ClientRequest, writeMetrics } from '@portolan/plugin-api';
import { expect } from 'chai';
import { factsOf } from '../../src/proxy/call-facts.ts';
import { CallMetrics } from '../../src/proxy/call-metrics.ts';
import { connectionAttributes, spanAttributes } from '../../src/proxy/span-attributes.ts';

const WORKLOAD = {
  name: 'w',
  server: 'io.example/w',
  transport: 'sse',
  isRemote: false,
  trustsProxyHeaders: false,
  directory: '/nowhere',
};
const REQUEST: ClientRequest = {
  method: 'POST',
  path: '/mcp',
  query: 'session_id=secret',
  headers: {
    host: 'localhost:1234',
    'user-agent': 'tester/1',
    'content-length': '12',
    'mcp-session-id': 's-1',
    'mcp-protocol-version': '2025-06-18',
  },
  remoteAddress: '127.0.0.1',
  remotePort: 4321,
  httpVersion: '1.0',
  receivedAt: new Date(0),
  caller: undefined,
  program: { name: 'tester', version: '1', revision: undefined },
};
const END = { status: 500, durationMs: 10, responseBytes: 7, refusedWith: undefined };

type Shown = string | number;
const asked = (method: string, params: object): ClientMessage => ({
  kind: 'request',
  text: '{}',
  id: '"r-1"',
  method,
  params: { ...params },
});
const MESSAGES = {
  tool: asked('tools/call', { name: 'a', arguments: { city: 'Oslo', token: 'hunter2' } }),
  prompt: asked('prompts/get', { name: 'p' }),
  resource: asked('resources/read', { uri: 'file:///r' }),
} as const;

/** Every row of run-formats.md 17.3: the name that is always there, that of before, what they say, and of which message. */
const BOTH: readonly (readonly [
  name: string | undefined,
  legacy: string | undefined,
  value: Shown,
  of?: keyof typeof MESSAGES,
  legacyValue?: Shown,
])[] = [
  ['http.request.method', 'http.method', 'POST'],
  ['url.full', 'http.url', 'http://localhost:1234/mcp'],
  ['url.scheme', 'http.scheme', 'http'],
  ['server.address', 'http.host', 'localhost:1234'],
  ['url.path', 'http.target', '/mcp'],
  ['url.query', 'http.query', 'session_id=[REDACTED]'],
  ['user_agent.original', 'http.user_agent', 'tester/1'],
  ['http.request.body.size', 'http.request_content_length', 12, 'tool', '12'],
  ['http.response.status_code', 'http.status_code', 500],
  ['http.response.body.size', 'http.response_content_length', 7],
  [undefined, 'http.duration_ms', 10],
  ['mcp.method.name', 'mcp.method', 'tools/call'],
  ['rpc.system.name', 'rpc.system', 'jsonrpc'],
  [undefined, 'rpc.service', 'mcp'],
  ['jsonrpc.request.id', 'mcp.request.id', 'r-1'],
  ['mcp.resource.uri', 'mcp.resource.id', 'file:///r', 'resource'],
  [undefined, 'mcp.resource.id', 'a', 'tool'],
  [undefined, 'mcp.resource.id', 'p', 'prompt'],
  ['gen_ai.tool.name', 'mcp.tool.name', 'a'],
  ['gen_ai.tool.call.arguments', 'mcp.tool.arguments', 'city=Oslo, token=[REDACTED]'],
  ['gen_ai.prompt.name', 'mcp.prompt.name', 'p', 'prompt'],
  ['network.transport', undefined, 'tcp'],
  ['network.protocol.name', undefined, 'http'],
  [undefined, 'mcp.transport', 'sse'],
  ['jsonrpc.protocol.version', undefined, '2.0'],
  ['gen_ai.operation.name', undefined, 'execute_tool'],
  ['mcp.server.name', undefined, 'io.example/w'],
  ['mcp.session.id', undefined, 's-1'],
  ['mcp.protocol.version', undefined, '2025-06-18'],
  ['mcp.client.name', undefined, 'tester'],
  ['mcp.backend.protocol.version', undefined, '1.1'],
  ['network.protocol.version', undefined, '1.0'],
  ['client.address', undefined, '127.0.0.1'],
  ['client.port', undefined, 4321],
  ['error.type', undefined, '500'],
  ['environment.REGION', undefined, ''],
];

/** Every row of 17.4, as Prometheus spells it. */
const METRICS: readonly (readonly [name: string, labels: readonly string[]])[] = [
  [
    'portolan_mcp_requests_total',
    ['method', 'status_code', 'status', 'mcp_method', 'mcp_resource_id', 'server', 'transport'],
  ],
  [
    'portolan_mcp_request_duration_seconds_count',
    ['method', 'status_code', 'status', 'mcp_method', 'mcp_resource_id', 'server', 'transport'],
  ],
  ['portolan_mcp_active_connections', ['server', 'transport', 'connection_type']],
  ['portolan_mcp_tool_calls_total', ['server', 'tool', 'status']],
  [
    'mcp_server_operation_duration_seconds_count',
    [
      'mcp_method_name',
      'jsonrpc_protocol_version',
      'network_transport',
      'network_protocol_name',
      'network_protocol_version',
      'error_type',
      'gen_ai_operation_name',
      'gen_ai_tool_name',
      'gen_ai_prompt_name',
    ],
  ],
];

describe('attribute names of call telemetry', () => {
  const attributesOf = (of: keyof typeof MESSAGES, useLegacyAttributes: boolean, transport = 'sse') =>
    spanAttributes(factsOf(REQUEST, { ...WORKLOAD, transport }, MESSAGES[of], END), {
      useLegacyAttributes,
      always: { 'environment.REGION': '' },
    });

  for (const [name, legacy, value, of = 'tool', legacyValue = value] of BOTH) {
    it(`${name ?? '(none)'}, and ${legacy ?? 'no other'} with legacy names enabled`, () => {
      const [all, only] = [attributesOf(of, true), attributesOf(of, false)];
      if (name !== undefined) expect([all[name], only[name]]).to.deep.equal([value, value]);
      if (legacy === undefined) return;
      expect(all[legacy]).to.equal(legacyValue);
      expect(only).not.to.have.property(legacy);
    });
  }

  it('a span has no attribute outside of the table', () => {
    const rows = new Set(BOTH.flatMap(([name, legacy]) => [name, legacy]));
    for (const one of ['tool', 'prompt', 'resource'] as const) {
      expect(Object.keys(attributesOf(one, true)).filter((name) => !rows.has(name))).to.deep.equal([]);
    }
    const options = { useLegacyAttributes: false, always: {} };
    expect(connectionAttributes(factsOf(REQUEST, WORKLOAD, undefined, END), options)).to.include({
      'sse.event_type': 'connection_established',
    });
  });

  it("the server's HTTP version is reported only for SSE servers", () => {
    for (const transport of ['stdio', 'streamable-http']) {
      expect(attributesOf('tool', true, transport)).not.to.have.property('mcp.backend.protocol.version');
    }
  });

  for (const [metric, labels] of METRICS) {
    it(`${metric} has the labels ${labels.join(', ')}`, async () => {
      const metrics = new CallMetrics(() => new Date(0));
      for (const message of [MESSAGES.tool, MESSAGES.prompt]) {
        metrics.record(factsOf(REQUEST, WORKLOAD, message, END));
      }
      metrics.connected({ server: 'w', transport: 'sse', connection_type: 'sse' }, 1);
      const text = await writeMetrics(metrics.read().metrics, 'prometheus');
      const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`));
      const found = new Set(
        lines.flatMap((line) => [...line.matchAll(/[{,](\w+)="/g)].map(([, label]) => label)),
      );
      expect([...found]).to.have.members(labels);
    });
  }
});
