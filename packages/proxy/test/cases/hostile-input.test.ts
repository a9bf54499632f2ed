import { MAX_CLIENT_NODES, MAX_ELEMENTS } from '@portolan/mcp-protocol';
import { expect } from 'chai';
import { begin, send } from '../support/http-client.ts';
import { CASE_PATHS, Cases, legacyHeaders } from '../support/case-paths.ts';
import { bodyOf, MODERN } from '../support/modern-client.ts';

const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

interface Row {
  readonly name: string;
  readonly title: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly status: number;
  readonly code: number;
  /** Whether every path refuses it, because the check comes before the body is parsed. */
  readonly always?: boolean;
}

const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}}}`;

const callWith = (args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":${args}}}`;
const tooManyNames = `{${Array.from({ length: MAX_CLIENT_NODES }, (_, at) => `"k${at}":1`).join(',')}}`;
const tooManyElements = `{"a":[0${',0'.repeat(MAX_ELEMENTS)}]}`;

const ROWS: readonly Row[] = [
  ...Object.entries({ names: tooManyNames, elements: tooManyElements }).map(([what, args]) => ({
    name: 'B01',
    title: `a message with too many ${what}`,
    body: callWith(args),
    status: 413,
    code: -32600,
  })),
  {
    name: 'B01',
    title: 'invalid JSON with too many objects and lists',
    body: callWith(`[${'[],{},'.repeat(MAX_CLIENT_NODES)}`),
    status: 413,
    code: -32600,
  },
  {
    name: 'B01',
    title: 'a body of 9 MiB',
    body: Buffer.alloc(9 * 1024 * 1024, 0x20),
    status: 413,
    code: -32600,
    always: true,
  },
  {
    name: 'B02',
    title: 'truncated JSON',
    body: '{"jsonrpc":"2.0","id":1',
    status: 400,
    code: -32700,
  },
  {
    name: 'B02',
    title: 'a body that is not UTF-8',
    body: Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    status: 400,
    code: -32700,
  },
  { name: 'B02', title: 'an empty body', body: '', status: 400, code: -32700 },
  ...['null', 'true', '{}'].map((id) => ({
    name: 'B03',
    title: `the id ${id}`,
    body: `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`,
    status: 400,
    code: -32600,
  })),
  {
    name: 'B04',
    title: 'a duplicate member "method"',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{},"method":"tools/call"}',
    status: 400,
    code: -32600,
  },
  {
    name: 'B05',
    title: 'the members "Method" and "method"',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call"}',
    status: 400,
    code: -32600,
  },
  ...['text/plain', 'application/jsonx'].map((type) => ({
    name: 'B06',
    title: `a body under ${type}`,
    body: LIST,
    headers: { 'Content-Type': type },
    status: 415,
    code: -32600,
  })),
  { name: 'B08', title: 'arguments nested 100000 deep', body: deep, status: 400, code: -32600 },
  {
    name: 'B10',
    title: 'a batch in a session of a revision without batches',
    body: `[${LIST}]`,
    status: 400,
    code: -32600,
  },
  { name: 'B10', title: 'a batch behind a vertical tab', body: `\u000b[${LIST}]`, status: 400, code: -32600 },
  { name: 'B10', title: 'a batch without an end', body: `[${LIST}`, status: 400, code: -32600 },
  {
    name: 'B12',
    title: 'a batch with initialize',
    body: `[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}]`,
    status: 400,
    code: -32600,
  },
  {
    name: 'B12',
    title: 'a batch with a Modern request',
    body: `[${bodyOf({ method: 'tools/list' })}]`,
    status: 400,
    code: -32600,
  },
  {
    name: 'B13',
    title: 'two Authorization headers',
    body: LIST,
    headers: { Authorization: ['a', 'b'] },
    status: 400,
    code: -32600,
    always: true,
  },
  {
    name: 'B13',
    title: 'two Mcp-Session-Id headers',
    body: LIST,
    headers: { 'Mcp-Session-Id': ['a', 'b'] },
    status: 400,
    code: -32600,
    always: true,
  },
  {
    name: 'B13',
    title: 'two Origin headers',
    body: LIST,
    headers: { Origin: ['http://localhost', 'http://127.0.0.1'] },
    status: 403,
    code: -32600,
    always: true,
  },
  {
    name: 'B14',
    title: 'a foreign Host with its own origin',
    body: LIST,
    headers: { Host: 'evil.example.com', Origin: 'http://evil.example.com' },
    status: 403,
    code: -32600,
    always: true,
  },
  {
    name: 'B15',
    title: 'the origin null',
    body: LIST,
    headers: { Origin: 'null' },
    status: 403,
    code: -32600,
    always: true,
  },
  {
    name: 'B17',
    title: 'a session id with a space',
    body: LIST,
    headers: { 'Mcp-Session-Id': 'a b' },
    status: 400,
    code: -32600,
    always: true,
  },
  {
    name: 'B17',
    title: 'a session id of 10 kB',
    body: LIST,
    headers: { 'Mcp-Session-Id': 'a'.repeat(10_000) },
    status: 400,
    code: -32600,
    always: true,
  },
  {
    name: 'B18',
    title: 'a compressed body',
    body: LIST,
    headers: { 'Content-Encoding': 'gzip' },
    status: 415,
    code: -32600,
  },
];

describe('malicious or invalid input', () => {
  const cases = new Cases();
  afterEach(() => cases.close());

  for (const path of CASE_PATHS) {
    describe(path, () => {
      for (const { name, title, body, headers, status, code, always = false } of ROWS) {
        const isJudged = always || path !== 'transparent';
        it(`${name}: ${isJudged ? 'refuses' : 'leaves to the server'} ${title}, and serves the next request`, async () => {
          const { url, reached } = await cases.open(path);
          const own = await legacyHeaders(url, '2025-11-25');
          const sent = { ...own, ...headers };
          if (isJudged) {
            const answer = await post(url, sent, body);
            expect([answer.status, answer.json.error.code]).to.deep.equal([status, code]);
            // The error must have no id: neither that of another request nor null.
            if (code === -32700 || name === 'B03') expect(answer.json).to.not.have.property('id');
          } else await post(url, sent, body);
          expect(reached()).to.have.length(isJudged ? 0 : 1);
          expect((await post(url, own, LIST)).status).to.equal(200);
        });
      }

      it('B07: accepts a Content-Type in any spelling', async () => {
        const { url } = await cases.open(path);
        const headers = {
          ...(await legacyHeaders(url, '2025-11-25')),
          'Content-Type': 'Application/JSON; charset=utf-8',
        };
        expect((await post(url, headers, LIST)).status).to.equal(200);
      });

      it('B09: treats names such as __proto__ and constructor as data', async () => {
        const { url, reached } = await cases.open(path);
        const headers = await legacyHeaders(url, '2025-11-25');
        const body =
          '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"__proto__":{"polluted":1},"constructor":1}}}';
        expect((await post(url, headers, body)).status).to.equal(200);
        expect(reached()[0]).to.include('"arguments":{"__proto__":{"polluted":1},"constructor":1}');
        expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
        const denied = await post(url, headers, '{"jsonrpc":"2.0","id":1,"method":"constructor"}');
        expect(denied.json.error.code).to.equal(-32601);
      });

      it('B14, B15: serves pages of its own origin, and clients without an origin', async () => {
        const { url } = await cases.open(path);
        const headers = await legacyHeaders(url, '2025-11-25');
        const own = { Host: `localhost:${url.port}`, Origin: `http://localhost:${url.port}` };
        expect((await post(url, { ...headers, ...own }, LIST)).status).to.equal(200);
        expect((await post(url, headers, LIST)).status).to.equal(200);
      });

      for (const id of ['9007199254740993', '1', '"1"', '""', `"${'i'.repeat(1000)}"`]) {
        // JavaScript cannot represent the first id, so a server that uses JavaScript numbers cannot return
        // it.
        if (path !== 'bridge' && id.length === 16) continue;
        it(`B19: returns the id ${id.slice(0, 20)} unchanged in both eras`, async () => {
          const { url } = await cases.open(path);
          const headers = await legacyHeaders(url, '2025-11-25');
          const legacy = await post(url, headers, `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
          const modern = await post(
            url,
            {
              ...headers,
              'Mcp-Session-Id': 'any',
              'MCP-Protocol-Version': MODERN,
              'Mcp-Method': 'tools/list',
            },
            bodyOf({ method: 'tools/list' }).replace('"id":1', `"id":${id}`),
          );
          for (const { text } of [legacy, modern]) expect(text).to.include(`"id":${id}`);
        });
      }
    });
  }
});

/**
 * Sends a POST as `send` does. A large body is written to a server that may respond before it has read
 * everything.
 */
async function post(url: URL, headers: Readonly<Record<string, string | string[]>>, body: string | Buffer) {
  if (body.length < 1_000_000) return send(url, { method: 'POST', headers, body });
  return new Promise<{ status: number; text: string; json: { error: { code: number } } }>(
    (resolve, reject) => {
      const request = begin(url, { headers: { ...headers, 'Content-Length': String(body.length) } });
      request.once('error', reject);
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            text,
            json: JSON.parse(text) as { error: { code: number } },
          });
          request.destroy();
        });
      });
      request.end(body);
    },
  );
}
