import { expect } from 'chai';
import fc from 'fast-check';
import { type CallRecord, formatProxyLine, type ProxyLineOptions } from '../../src/proxy/proxy-line.ts';
import { clientRequest, requestView } from './client-request.ts';

const OPTIONS: ProxyLineOptions = {
  component: 'payments-mcp',
  backend: 'io.acme/payments',
  includeRequestData: false,
  includeResponseData: false,
  maxDataSize: 1024,
  maxDelegationDepth: 10,
  trustsProxyHeaders: false,
  clock: () => new Date('2026-08-21T09:14:03.120Z'),
};
const ENDING = {
  status: 200,
  durationMs: 4,
  responseBytes: 71,
  isStream: false,
  refusal: undefined,
  response: undefined,
} as const;

function record(given: Partial<CallRecord> = {}): CallRecord {
  const message = requestView('tools/call', { name: 'refund' });
  return {
    id: '2f0c0c5e-6a0e-4c8b-9d64-1a5a4dd4b0f1',
    at: new Date('2026-08-21T09:14:03.119Z'),
    type: 'mcp_tool_call',
    request: clientRequest(),
    message,
    original: message,
    ending: ENDING,
    ...given,
  };
}

// oxlint-disable-next-line typescript/no-explicit-any -- the test looks into every part of a line
function lineOf(given: Partial<CallRecord> = {}, options: Partial<ProxyLineOptions> = {}): any {
  return JSON.parse(formatProxyLine(record(given), { ...OPTIONS, ...options }));
}

describe('audit line of a call', () => {
  it('has the format of ToolHive', () => {
    const request = clientRequest({
      headers: { 'user-agent': 'acme-client/2.1', 'x-request-id': 'r-77' },
      caller: {
        subject: 'u-19',
        claims: { name: 'Rita', client_name: 'acme-client', client_version: '2.1' },
      },
    });
    const refusal = {
      id: '1',
      code: 'ERR_POLICY_REFUSED',
      status: 403,
      error: { code: 403, message: 'Unauthorized', data: { denial: 'd-1' } },
    };
    expect(lineOf({ request, ending: { ...ENDING, status: 403, refusal } })).to.deep.equal({
      time: '2026-08-21T09:14:03.120Z',
      level: 'AUDIT',
      msg: 'audit_event',
      audit_id: '2f0c0c5e-6a0e-4c8b-9d64-1a5a4dd4b0f1',
      type: 'mcp_tool_call',
      logged_at: '2026-08-21T09:14:03.119Z',
      outcome: 'denied',
      component: 'payments-mcp',
      source: {
        type: 'network',
        value: '192.0.2.10',
        extra: { user_agent: 'acme-client/2.1', request_id: 'r-77' },
      },
      subjects: { user: 'Rita', user_id: 'u-19', client_name: 'acme-client', client_version: '2.1' },
      target: { endpoint: '/mcp', method: 'tools/call', type: 'tool', name: 'refund' },
      metadata: {
        extra: {
          duration_ms: 4,
          transport: 'http',
          status: 403,
          response_size_bytes: 71,
          backend_name: 'io.acme/payments',
          jsonrpc_error_code: 403,
          jsonrpc_error_message: 'Unauthorized',
          refused_with: 'ERR_POLICY_REFUSED',
          refusal: { denial: 'd-1' },
        },
      },
    });
  });

  const subjects: readonly (readonly [claims: object, subjects: object])[] = [
    [{ name: 'A', preferred_username: 'b', email: 'c' }, { user: 'A' }],
    [{ preferred_username: 'b', email: 'c' }, { user: 'b' }],
    [{ name: '', email: 'c@acme.example' }, { user: 'c@acme.example' }],
    [{ name: 7 }, { user: 'anonymous' }],
  ];
  for (const [claims, expected] of subjects) {
    it(`names the caller of ${JSON.stringify(claims)}`, () => {
      const caller = { subject: 'u-1', claims: { ...claims } };
      expect(lineOf({ request: clientRequest({ caller }) }).subjects).to.deep.equal({
        ...expected,
        user_id: 'u-1',
      });
    });
  }

  it('takes the program name from the client when the token has none', () => {
    const program = { name: 'inspector', version: '1.2', revision: '2025-06-18' };
    expect(lineOf({ request: clientRequest({ program }) }).subjects).to.deep.equal({
      user: 'anonymous',
      client_name: 'inspector',
      client_version: '1.2',
    });
    const caller = { subject: 'u', claims: { client_name: 'by-token' } };
    expect(lineOf({ request: clientRequest({ program, caller }) }).subjects).to.include({
      client_name: 'by-token',
      client_version: '1.2',
    });
  });

  const actors: readonly (readonly [title: string, act: unknown, delegation: object])[] = [
    [
      'two actors',
      { sub: 'a', iss: 'https://id', act: { sub: 'b' } },
      {
        chain: [{ iss: 'https://id', sub: 'a' }, { sub: 'b' }],
        truncated: false,
        omitted: 0,
        malformed: false,
      },
    ],
    [
      'more than are kept',
      { sub: 'a', act: { sub: 'b', act: { sub: 'c', act: { sub: 'd' } } } },
      { chain: [{ sub: 'a' }, { sub: 'b' }], truncated: true, omitted: 2, malformed: false },
    ],
    [
      'no object',
      'somebody',
      { chain: [], truncated: false, omitted: 0, malformed: true, malformedReason: 'an actor is no object' },
    ],
    [
      'an actor without a subject',
      { sub: 'a', act: { iss: 'x' } },
      {
        chain: [{ sub: 'a' }],
        truncated: false,
        omitted: 0,
        malformed: true,
        malformedReason: 'an actor has no subject',
      },
    ],
  ];
  for (const [title, act, delegation] of actors) {
    it(`names the actor of a delegated call: ${title}`, () => {
      const caller = { subject: 'u', claims: { act } };
      const line = lineOf({ request: clientRequest({ caller }) }, { maxDelegationDepth: 2 });
      expect(line.delegation).to.deep.equal(delegation);
    });
  }

  it('omits delegation when there is none', () => {
    expect(lineOf()).not.to.have.property('delegation');
  });

  it("takes the client address from the trusted proxy, not from the client's own header", () => {
    const of = (headers: Record<string, string>, trustsProxyHeaders: boolean) =>
      lineOf({ request: clientRequest({ headers }) }, { trustsProxyHeaders }).source.value;
    const forwarded = { 'x-forwarded-for': '203.0.113.9, 10.0.0.1', 'x-real-ip': '198.51.100.7' };
    expect(of(forwarded, false)).to.equal('192.0.2.10');
    expect(of(forwarded, true)).to.equal('10.0.0.1');
    expect(of({ 'x-real-ip': '198.51.100.7' }, true)).to.equal('198.51.100.7');
    expect(of({ 'x-forwarded-for': ' ' }, true)).to.equal('192.0.2.10');
  });

  const targets: readonly (readonly [message: ReturnType<typeof requestView>, target: object])[] = [
    [requestView('prompts/get', { name: 'hello' }), { type: 'prompt', name: 'hello' }],
    [requestView('resources/read', { uri: 'file:///a' }), { type: 'resource', name: 'file:///a' }],
    [requestView('tools/list'), { type: 'tool' }],
    [requestView('tasks/cancel', { taskId: 't-1' }), { type: 'task', name: 't-1' }],
    [
      requestView('completion/complete', { ref: { type: 'ref/prompt', name: 'hello' } }),
      { type: 'prompt', name: 'hello' },
    ],
    [
      requestView('completion/complete', { ref: { type: 'ref/resource', uri: 'file:///{x}' } }),
      { type: 'resource', name: 'file:///{x}' },
    ],
    [requestView('ping'), {}],
    [requestView('tools/call', { name: 7 }), { type: 'tool' }],
  ];
  for (const [message, target] of targets) {
    it(`names the target of ${message.method}`, () => {
      expect(lineOf({ message, original: message }).target).to.deep.equal({
        endpoint: '/mcp',
        method: message.method,
        ...target,
      });
    });
  }

  it('contains the tool name of clients and that of the server', () => {
    const said = requestView('tools/call', { name: 'money_back' });
    expect(lineOf({ original: said }).target).to.include({ name: 'refund', visible_name: 'money_back' });
  });

  it("contains the server's error response", () => {
    const answer = { error: { code: -32602, message: 'x'.repeat(400) }, text: undefined, bytes: 9 };
    const line = lineOf({ ending: { ...ENDING, response: answer } });
    expect(line.outcome).to.equal('application_error');
    expect(line.metadata.extra.jsonrpc_error_code).to.equal(-32602);
    expect(line.metadata.extra.jsonrpc_error_message).to.have.length(256);
  });

  it('records the start of a call without an outcome', () => {
    const line = lineOf({ ending: undefined });
    expect(line.outcome).to.equal('begun');
    expect(line).not.to.have.property('metadata');
  });

  it('contains data if configured, truncated and with masked secrets', () => {
    const params = { name: 'refund', arguments: { api_key: 'hunter2', note: 'paid', size: 1 } };
    const message = requestView('tools/call', params);
    const answer = { error: undefined, text: '{"id":1,"result":{"password":"hunter3","ok":true}}', bytes: 9 };
    const both = { includeRequestData: true, includeResponseData: true };
    const line = lineOf({ message, ending: { ...ENDING, response: answer } }, both);
    expect(line.data.request.params.arguments).to.deep.equal({ api_key: '[secret]', note: 'paid', size: 1 });
    expect(line.data.response).to.deep.equal({ id: 1, result: { password: '[secret]', ok: true } });
    const cut = lineOf({ message }, { ...both, maxDataSize: 20 });
    expect(cut.data).to.deep.equal({ request: '{"jsonrpc":"2.0","id' });
    expect(lineOf({ message })).not.to.have.property('data');
    const large = requestView('tools/call', { name: 'x'.repeat(5_000_000) });
    expect(lineOf({ message: large }, both).data.request).to.match(/^\[\d+ bytes\]$/);
  });

  it('contains no secret, in any field of the client', () => {
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';
    const message = requestView('resources/read', {
      uri: `https://u:hunter2@h/p?token=hunter2`,
      password: 'hunter2',
    });
    const request = clientRequest({
      path: `/mcp/${token}`,
      query: 'access_token=hunter2',
      headers: {
        authorization: 'Bearer hunter2hunter2',
        cookie: 'sid=hunter2',
        'mcp-session-id': 'hunter2',
        'user-agent': `x token=hunter2 ${token}`,
        'x-request-id': 'Bearer hunter2hunter2',
        'x-forwarded-for': 'secret=hunter2',
      },
      caller: {
        subject: token,
        claims: { name: token, client_name: 'key token=hunter2', act: { sub: token } },
      },
      program: { name: 'a password=hunter2', version: token, revision: undefined },
    });
    const refusal = {
      id: '1',
      code: 'ERR_POLICY_REFUSED',
      status: 403,
      error: { code: 403, message: 'token: hunter2', data: { why: 'secret=hunter2' } },
    };
    const answer = {
      error: undefined,
      text: JSON.stringify({ result: { token, text: 'key: secret=hunter2' } }),
      bytes: 1,
    };
    const options = {
      ...OPTIONS,
      includeRequestData: true,
      includeResponseData: true,
      trustsProxyHeaders: true,
    };
    const ending = { ...ENDING, status: 403, refusal, answer };
    for (const one of [
      record({ request, message, original: message, ending }),
      record({ request, type: 'sse_connection', message: undefined, ending }),
    ]) {
      expect(formatProxyLine(one, options)).not.to.include('hunter2').and.not.to.include('eyJ');
    }
  });

  it('is one line for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (text, value) => {
        const message = requestView(text, { name: text, arguments: value });
        const request = clientRequest({
          path: `/${text}`,
          headers: { 'user-agent': text },
          caller: { subject: text, claims: { name: text, act: value } },
        });
        const line = formatProxyLine(record({ request, message, original: message }), {
          ...OPTIONS,
          includeRequestData: true,
        });
        expect(line).not.to.match(/[\p{Cc}\u2028\u2029]/u);
        expect(() => JSON.parse(line)).not.to.throw();
      }),
    );
  });
});
