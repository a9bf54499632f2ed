import { MAX_CLIENT_NODES, MAX_SERVER_NODES } from '@portolan/mcp-protocol';
import { expect } from 'chai';
import type { ServerBackend } from '@portolan/plugin-api';
import { HttpBackendUnderTest } from './support/http-backend.ts';
import { McpClient } from './support/mcp-client.ts';
import { Proxies } from './support/proxy-under-test.ts';
import { ScriptedServers } from './support/scripted-server.ts';

const JUDGE = { name: 'judge', placed: 'filter', instance: { onResponse: () => undefined } } as const;
const LIST = { id: 1, method: 'tools/list' };

const names = (count: number): string =>
  `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
const answerWith = (id: unknown, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;

/** Returns the length of the longest text that `JSON.parse` gets during `work`. */
async function longestParsed(work: () => Promise<unknown>): Promise<number> {
  const parse = JSON.parse;
  let longest = 0;
  JSON.parse = (...[text, reviver]) => {
    longest = Math.max(longest, text.length);
    return parse(text, reviver) as unknown;
  };
  try {
    await work();
  } finally {
    JSON.parse = parse;
  }
  return longest;
}

describe('message with too many values', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  let result: string;
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  const overStdio = (): ServerBackend =>
    new ScriptedServers({
      received: (message, server) => {
        if (message.method === 'initialize') server.greet(message);
        else if (message.id !== undefined) server.write(answerWith(message.id, result));
      },
    }).backend();

  /** Servers of each transport that respond to `tools/list` with `result`. */
  const SERVERS: Readonly<Record<string, () => ServerBackend | Promise<ServerBackend>>> = {
    'on standard input and output': overStdio,
    'that sends documents': () => overHttp('application/json', (text) => text),
    'that sends events': () => overHttp('text/event-stream', (text) => `data: ${text}\n\n`),
  };

  async function overHttp(type: string, frame: (text: string) => string): Promise<ServerBackend> {
    const backend = await HttpBackendUnderTest.start(({ body }, response) => {
      // Every request in these tests has a numeric or string id.
      const { id } = JSON.parse(body.toString()) as { readonly id: unknown };
      response.writeHead(200, { 'Content-Type': type });
      response.end(frame(answerWith(id, result)));
    });
    backends.push(backend);
    return { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false };
  }

  for (const [what, open] of Object.entries(SERVERS)) {
    it(`of a server ${what} causes an error without being parsed`, async () => {
      result = '{}';
      const { url } = await proxies.open(await open(), { middleware: [JUDGE] });
      const client = what.includes('standard') ? await McpClient.connect(url) : new McpClient(url);
      expect((await client.post(LIST)).text).to.include('"result":{}');
      for (const many of [
        names(MAX_SERVER_NODES),
        `{"a":${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}}`,
      ]) {
        result = many;
        const longest = await longestParsed(async () => {
          expect((await client.post(LIST)).text)
            .to.include('response_too_large')
            .and.include('"id":1');
        });
        expect(longest).to.be.below(10_000);
      }
      result = names(1000);
      expect((await client.post(LIST)).text).to.include('"k999":1');
    });
  }

  it('of a client is refused without being parsed', async () => {
    result = '{}';
    const { url } = await proxies.open(overStdio());
    const client = await McpClient.connect(url);
    const call = (args: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":${args}}}`;
    const longest = await longestParsed(async () => {
      expect((await client.post(call(names(MAX_CLIENT_NODES)))).status).to.equal(413);
      expect((await client.post(`[${call(names(MAX_CLIENT_NODES))}]`)).status).to.equal(413);
    });
    expect(longest).to.be.below(10_000);
    expect((await client.post(call(names(1000)))).status).to.equal(200);
  });
});
