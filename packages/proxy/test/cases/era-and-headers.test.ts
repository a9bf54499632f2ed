import { expect } from 'chai';
import { send } from '../support/http-client.ts';
import { CASE_PATHS, type CasePath, Cases, LATER, legacyHeaders } from '../support/case-paths.ts';
import {
  bodyOf,
  CAPABILITIES,
  CLAIM,
  MODERN,
  ModernClient,
  type ModernRequest,
} from '../support/modern-client.ts';

const CALL: ModernRequest = { id: 'c-1', method: 'tools/call', params: { name: 'a', arguments: {} } };
const LIST: ModernRequest = { id: 7, method: 'tools/list' };
const INFO = 'io.modelcontextprotocol/clientInfo';
const UMLAUT: ModernRequest = { ...CALL, params: { name: 'zürich', arguments: {} } };
const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

interface Row {
  readonly name: string;
  readonly title: string;
  readonly request: ModernRequest;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Undefined when the server handles the request. */
  readonly refused?: { readonly status: number; readonly code: number };
}

const MISMATCH = { status: 400, code: -32020 };
const INCOMPLETE = { status: 400, code: -32602 };
const UNSUPPORTED = { status: 400, code: -32022 };

const ROWS: readonly Row[] = [
  { name: 'A01', title: 'a full envelope with its headers, and no session', request: CALL },
  {
    name: 'A02',
    title: 'an older header over a newer claim',
    request: LIST,
    headers: { 'MCP-Protocol-Version': '2025-11-25' },
    refused: MISMATCH,
  },
  {
    name: 'A03',
    title: 'a header over a claim of no revision',
    request: { ...LIST, meta: { [CLAIM]: 'v999.0.0' } },
    refused: MISMATCH,
  },
  {
    name: 'A04',
    title: 'an unknown revision in both',
    request: { ...LIST, meta: { [CLAIM]: 'v999.0.0' } },
    headers: { 'MCP-Protocol-Version': 'v999.0.0' },
    refused: UNSUPPORTED,
  },
  { name: 'A06', title: 'no claim', request: { ...LIST, meta: { [CLAIM]: undefined } }, refused: INCOMPLETE },
  {
    name: 'A07',
    title: 'a claim without capabilities',
    request: { ...LIST, meta: { [CAPABILITIES]: undefined } },
    refused: INCOMPLETE,
  },
  {
    name: 'A08',
    title: 'a claim without the name of the client',
    request: { ...LIST, meta: { [INFO]: undefined } },
  },
  {
    name: 'A09',
    title: 'a claim without the header',
    request: LIST,
    headers: { 'MCP-Protocol-Version': undefined },
    refused: MISMATCH,
  },
  {
    name: 'A10',
    title: 'no Mcp-Method',
    request: LIST,
    headers: { 'Mcp-Method': undefined },
    refused: MISMATCH,
  },
  {
    name: 'A11',
    title: 'Mcp-Method in capitals',
    request: LIST,
    headers: { 'Mcp-Method': 'TOOLS/LIST' },
    refused: MISMATCH,
  },
  {
    name: 'A12',
    title: 'names of headers in capitals',
    request: LIST,
    headers: {
      'MCP-Protocol-Version': undefined,
      'MCP-PROTOCOL-VERSION': MODERN,
      'Mcp-Method': undefined,
      'mCP-mETHOD': 'tools/list',
    },
  },
  { name: 'A13', title: 'blanks around Mcp-Name', request: CALL, headers: { 'Mcp-Name': '  a\t' } },
  { name: 'A14', title: 'an encoded Mcp-Name', request: UMLAUT, headers: { 'Mcp-Name': encoded('zürich') } },
  {
    name: 'A14',
    title: 'a badly encoded Mcp-Name',
    request: UMLAUT,
    headers: { 'Mcp-Name': '=?base64?%%%?=' },
    refused: MISMATCH,
  },
  { name: 'A15', title: 'no Mcp-Name', request: CALL, headers: { 'Mcp-Name': undefined }, refused: MISMATCH },
  { name: 'A15', title: 'another Mcp-Name', request: CALL, headers: { 'Mcp-Name': 'b' }, refused: MISMATCH },
];

describe('protocol revision and headers of a request', () => {
  const cases = new Cases();
  afterEach(() => cases.close());

  for (const path of CASE_PATHS) {
    describe(path, () => {
      for (const { name, title, request, headers, refused } of ROWS) {
        // Without a policy, the proxy leaves these checks to the server.
        const judged = path === 'transparent' ? undefined : refused;
        it(`${name}: ${judged === undefined ? 'serves' : 'refuses'} ${title}`, async () => {
          const { url, reached } = await cases.open(path);
          const answer = await new ModernClient(url).post(request, headers);
          expect([answer.status, answer.json.error?.code]).to.deep.equal([
            judged?.status ?? 200,
            judged?.code,
          ]);
          expect(answer.json.id).to.equal(request.id);
          expect(reached()).to.have.length(judged === undefined ? 1 : 0);
        });
      }

      if (path !== 'transparent')
        it('A04: lists the same revisions in the error as in server/discover', async () => {
          const { url } = await cases.open(path);
          const client = new ModernClient(url);
          const { json } = await client.post({ method: 'server/discover' });
          const unknown = await client.post(
            { ...LIST, meta: { [CLAIM]: 'v999.0.0' } },
            { 'MCP-Protocol-Version': 'v999.0.0' },
          );
          expect(unknown.json.error.data.requested).to.equal('v999.0.0');
          expect(json.result.supportedVersions).to.include.members(unknown.json.error.data.supported);
        });

      it('A04: lists no revision in server/discover that it refuses', async () => {
        const { url } = await cases.open(path);
        const client = new ModernClient(url);
        const { json } = await client.post({ method: 'server/discover' });
        const later = await client.post(
          { ...LIST, meta: { [CLAIM]: LATER } },
          { 'MCP-Protocol-Version': LATER },
        );
        const isServed = path === 'transparent';
        expect(later.status).to.equal(isServed ? 200 : 400);
        expect(json.result.supportedVersions).to.deep.equal(isServed ? [MODERN, LATER] : [MODERN]);
      });

      it('A05: refuses a request without an envelope when its version header names a revision without a handshake', async () => {
        const { url, reached } = await cases.open(path);
        const headers = {
          'Content-Type': 'application/json',
          Accept: 'application/json',
          'MCP-Protocol-Version': MODERN,
          'Mcp-Method': 'tools/list',
        };
        const body = '{"jsonrpc":"2.0","id":5,"method":"tools/list"}';
        const answer = await send(url, { method: 'POST', headers, body });
        const isJudged = path !== 'transparent';
        expect([answer.status, answer.json.error?.code, answer.json.id]).to.deep.equal(
          isJudged ? [400, -32602, 5] : [200, undefined, 5],
        );
        expect(reached()).to.deep.equal(isJudged ? [] : [body]);
      });

      it('A18: refuses initialize when the version header names a revision without a handshake', async () => {
        const { url } = await cases.open(path);
        const headers = {
          'Content-Type': 'application/json',
          Accept: 'application/json',
          'MCP-Protocol-Version': MODERN,
        };
        const body =
          '{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}';
        const { status, json } = await send(url, { method: 'POST', headers, body });
        expect([status, json.error?.code]).to.deep.equal(
          path === 'transparent' ? [200, undefined] : [400, -32020],
        );
      });

      it('A19, A20, A21: serves clients with a handshake that send single keys of the envelope', async () => {
        const { url } = await cases.open(path);
        const version = { 'MCP-Protocol-Version': '2025-11-25' };
        const headers = {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...version,
        };
        const initialize = {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 't', version: '1' },
        };
        const post = (method: string, params: object, more: Record<string, string> = {}) =>
          send(url, {
            method: 'POST',
            headers: { ...headers, ...more },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
          });
        const stray = { [INFO]: { name: 't' } };
        const greeted = await post('initialize', { ...initialize, _meta: stray });
        expect(greeted.json.result.protocolVersion).to.equal('2025-11-25');
        const session = { 'Mcp-Session-Id': String(greeted.headers['mcp-session-id']) };
        for (const meta of [stray, { 'io.modelcontextprotocol/logLevel': 'info' }]) {
          const called = await post('tools/call', { name: 'a', _meta: meta }, session);
          expect([called.status, called.json.error]).to.deep.equal([200, undefined]);
        }
      });

      it('A22: does not forward the session id of a request without a handshake', async () => {
        const { url, fields } = await cases.open(path);
        const answer = await new ModernClient(url).post(CALL, { 'Mcp-Session-Id': 'somebody-elses' });
        expect(answer.status).to.equal(200);
        expect(fields().map((field) => field.toLowerCase())).to.not.include('mcp-session-id');
      });

      it('A23: refuses GET, DELETE and HEAD when the version header names a revision without a handshake', async () => {
        const { url } = await cases.open(path);
        for (const method of ['GET', 'DELETE', 'HEAD']) {
          const answer = await send(url, {
            method,
            headers: { 'MCP-Protocol-Version': MODERN, Accept: 'text/event-stream' },
          });
          expect([answer.status, answer.headers.allow], method).to.deep.equal([405, 'POST']);
        }
      });

      for (const method of [
        'initialize',
        'ping',
        'logging/setLevel',
        'resources/subscribe',
        'resources/unsubscribe',
      ]) {
        it(`${method === 'initialize' ? 'A17' : 'A24'}: refuses ${method} as an unknown method in requests without a handshake`, async () => {
          const { url } = await cases.open(path);
          const { status, json } = await new ModernClient(url).post(
            { id: 3, method, params: { uri: 'a://b' } },
            { 'Mcp-Name': undefined },
          );
          const isOfBackend = method === 'initialize' && path !== 'bridge';
          // This path forwards `initialize`, so the server's own response arrives.
          expect([status, json.error?.code]).to.deep.equal(isOfBackend ? [200, undefined] : [404, -32601]);
        });
      }

      it('A25: refuses an unknown version header in a session, unless the server decides', async () => {
        const { url } = await cases.open(path);
        const headers = { ...(await legacyHeaders(url, '2025-11-25')), 'MCP-Protocol-Version': '2024-01-01' };
        const { status } = await send(url, {
          method: 'POST',
          headers,
          body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        });
        expect(status).to.equal(path === 'bridge' ? 400 : 200);
      });

      it('A26: requires a session unless the server is stateless', async () => {
        const { url } = await cases.open(path);
        const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
        const { status } = await send(url, {
          method: 'POST',
          headers,
          body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        });
        expect(status).to.equal(path === 'bridge' ? 400 : 200);
      });
    });
  }

  it('forwards the bytes of a request without a handshake unchanged', async () => {
    const { url, reached } = await cases.open('transparent' satisfies CasePath);
    await new ModernClient(url).post(CALL);
    expect(reached()).to.deep.equal([bodyOf(CALL)]);
  });
});
