import type { ProxyMiddleware, ProxySlot } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { McpClient } from '../support/mcp-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';
import { speak, speakHttp } from '../support/spoken-to.ts';

const RUNS = 150;

/**
 * Generates calls as a person writes them: arbitrary whitespace, and numbers and strings in any valid form.
 */
const calls = fc
  .record({
    args: fc.dictionary(
      fc.string({ maxLength: 6 }).filter((name) => name !== '__proto__'),
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(1.5, -0, 1e21)),
      { maxKeys: 4, noNullPrototype: true },
    ),
    indent: fc.constantFrom(0, 1, '\t', '\r\n'),
    id: fc.oneof(fc.integer(), fc.string({ maxLength: 5 })),
    number: fc.constantFrom('1.0', '9007199254740993', '-0', '1E+2', '"\\u0061"'),
    mark: fc.constantFrom('', '\u{FEFF}'),
  })
  .map(({ args, indent, id, number, mark }) => {
    const call = {
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'plain', arguments: { ...args, number: 0.125 } },
    };
    return mark + JSON.stringify(call, undefined, indent).replace('0.125', number);
  });

/** Middleware that replaces a value, adds a member and removes one. */
const CHANGES: ProxyMiddleware = {
  onMessage: (message) => {
    if (message.kind !== 'request' || message.method !== 'tools/call') return undefined;
    const [first] = Object.keys(Object(message.params?.['arguments']));
    const of = (name: string) => ['params', 'arguments', name];
    return {
      change: [
        { path: of(' added '), json: '[ 1.0 ]' },
        ...(first === undefined || first === ' added ' ? [] : [{ path: of(first), json: '"changed"' }]),
      ],
    };
  },
};

describe('message that a policy approved', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  function middleware(judged: string[]) {
    const judge: ProxyMiddleware = {
      onMessage: ({ text }) => {
        if (text.includes('tools/call')) judged.push(text);
        return undefined;
      },
    };
    const at = (placed: ProxySlot, instance: ProxyMiddleware) => ({ name: placed, placed, instance });
    return [at('mutate', CHANGES), at('authorize', judge)];
  }

  it('reaches an HTTP server byte for byte', async function () {
    this.timeout(180_000); // many calls
    const backend = await HttpBackendUnderTest.start(speakHttp);
    backends.push(backend);
    const judged: string[] = [];
    const { url } = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false },
      { middleware: middleware(judged) },
    );
    const client = await McpClient.connect(url);
    await fc.assert(
      fc.asyncProperty(calls, async (text) => {
        judged.length = 0;
        const answer = await client.post(text);
        expect(answer.status, text).to.equal(200);
        expect(judged).to.have.length(1);
        expect(backend.received.at(-1)?.body.toString('utf8')).to.equal(judged[0]);
        expect(judged[0]).to.include('[ 1.0 ]');
      }),
      { numRuns: RUNS },
    );
  });

  it('reaches a stdio server unchanged, except for its id and line breaks between tokens', async function () {
    this.timeout(180_000); // many calls
    const servers = new ScriptedServers({ received: speak });
    const backend = servers.backend();
    const judged: string[] = [];
    const { url } = await proxies.open(backend, { middleware: middleware(judged) });
    const client = await McpClient.connect(url);
    await fc.assert(
      fc.asyncProperty(calls, async (text) => {
        judged.length = 0;
        expect((await client.post(text)).status, text).to.equal(200);
        const got = servers.greeted[0]?.sent.at(-1)?.text ?? '';
        const withoutId = (one: string): string =>
          one.replace(/"id":(\s*)(?:"(?:[^"\\]|\\.)*"|-?\d+)/, '"id":$1#').replaceAll(/[\r\n]/g, ' ');
        expect(withoutId(got)).to.equal(withoutId(judged[0] ?? ''));
      }),
      { numRuns: RUNS },
    );
  });
});
