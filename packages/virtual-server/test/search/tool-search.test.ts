import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ProxyMiddleware, ToolIndex } from '@portolan/plugin-api';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import type { VirtualServer } from '../../src/index.ts';
import { echo, type FakeMember, fakeMember, type Members } from '../support/fake-member.ts';
import { modernRequest } from '../support/modern-request.ts';
import { VirtualServers, type VirtualServerTestOptions } from '../support/virtual-servers.ts';
import { WordIndex } from '../support/word-index.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const annotations = { readOnlyHint: true, openWorldHint: false };

function members(): readonly FakeMember[] {
  const forecast = { name: 'forecast', title: 'Forecast', description: 'Weather of a city', annotations };
  const weather = { tools: [{ ...forecast, inputSchema: schema }] };
  const issues = ['create_issue', 'close_issue', 'list_issues'].map((name) => ({
    name,
    description: `Issues: ${name}`,
    inputSchema: { type: 'object' },
    annotations: { destructiveHint: name === 'close_issue', openWorldHint: false },
  }));
  return [
    fakeMember('weather', { results: { 'tools/list': weather }, respond: echo('weather') }),
    fakeMember('github', { results: { 'tools/list': { tools: issues } }, respond: echo('github') }),
  ];
}

/** Middleware that hides a tool by its name of the message path, and records the calls that it sees. */
class HidingPolicy implements ProxyMiddleware {
  readonly seen: string[] = [];
  readonly #hidden: string;

  constructor(hidden: string) {
    this.#hidden = hidden;
  }

  onMessage(...[message]: Parameters<NonNullable<ProxyMiddleware['onMessage']>>) {
    if (message.kind !== 'request') return undefined;
    const { name } = Object(message.params);
    this.seen.push(name === undefined ? message.method : `${message.method} ${name}`);
    return message.method === 'tools/call' && name === this.#hidden
      ? { refuse: { code: -32_000, message: 'Denied by policy.' } }
      : undefined;
  }

  onResponse(...[message, { message: request }]: Parameters<NonNullable<ProxyMiddleware['onResponse']>>) {
    if (message.kind !== 'response' || request?.kind !== 'request' || request.method !== 'tools/list')
      return undefined;
    const { tools } = Object(message.result);
    const shown = tools.filter(({ name }: { readonly name: string }) => name !== this.#hidden);
    return { change: [{ path: ['result', 'tools'], json: JSON.stringify(shown) }] };
  }
}

describe('tool search of a virtual server', () => {
  const servers = new VirtualServers();
  const clients: Client[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await servers.close();
  });

  async function open(
    options: VirtualServerTestOptions = {},
  ): Promise<{ client: Client; url: URL; server: VirtualServer }> {
    const { url, server } = await servers.open(members(), {
      search: { mode: 'always' },
      toolIndex: new WordIndex(),
      ...options,
    });
    const client = new Client({ name: 'test', version: '1.0.0' });
    clients.push(client);
    await client.connect(new StreamableHTTPClientTransport(url));
    return { client, url, server };
  }

  const namesOf = async (client: Client): Promise<readonly string[]> =>
    (await client.listTools()).tools.map(({ name }) => name);

  it('tools/list › has find_tool, call_tool and the names in search.always', async () => {
    const { client } = await open({ search: { mode: 'always', always: ['github_list_issues', 'gone'] } });
    expect(await namesOf(client)).to.deep.equal(['find_tool', 'call_tool', 'github_list_issues']);
  });

  it('tools/list › has all tools while the list is small, with the mode auto', async () => {
    const { client } = await open({ search: { mode: 'auto', aboveTokens: 8000 } });
    expect(await namesOf(client))
      .to.include('weather_forecast')
      .and.not.include('find_tool');
  });

  it('tools/list › has find_tool above the threshold of tokens, with the mode auto', async () => {
    const all = await open({ search: { mode: 'auto', aboveTokens: 8000 } });
    const tokens = JSON.stringify((await all.client.listTools()).tools).length / 4;
    const atLimit = await open({ search: { mode: 'auto', aboveTokens: tokens } });
    expect(await namesOf(atLimit.client)).to.not.include('find_tool');
    const below = await open({ search: { mode: 'auto', aboveTokens: tokens - 1 } });
    expect(await namesOf(below.client)).to.deep.equal(['find_tool', 'call_tool']);
  });

  it('tools/list › has the annotations of the least safe tool, and names the members', async () => {
    const { client } = await open();
    const [find, call] = (await client.listTools()).tools;
    expect(find?.annotations).to.include({ readOnlyHint: true });
    expect(find?.description).to.include('The tools come from: weather, github.');
    expect(call?.annotations).to.deep.equal({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    });
  });

  it('replaceSearch › turns the search on and off while clients are connected', async () => {
    const { client, server } = await open({ search: { mode: 'off' } });
    expect(await namesOf(client)).to.have.length(4);
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
    server.replaceSearch({ mode: 'always', aboveTokens: 0, always: [] }, new WordIndex());
    await changed.promise;
    expect(await namesOf(client)).to.deep.equal(['find_tool', 'call_tool']);
    server.replaceSearch({ mode: 'off', aboveTokens: 0, always: [] }, undefined);
    expect(await namesOf(client)).to.have.length(4);
  });

  it('find_tool › returns matches with schema and annotations as structured content and as text', async () => {
    const { client } = await open();
    // The client of the SDK checks the structured content by the output schema.
    await client.listTools();
    const result = await client.callTool({ name: 'find_tool', arguments: { query: 'weather', limit: 1 } });
    const tools = [
      {
        name: 'weather_forecast',
        title: 'Forecast',
        description: 'Weather of a city',
        inputSchema: schema,
        annotations,
      },
    ];
    expect(result.structuredContent).to.deep.equal({ tools });
    expect(result.content).to.deep.equal([{ type: 'text', text: JSON.stringify({ tools }) }]);
    expect(result).to.not.have.any.keys('tools', 'nextCursor');
  });

  it('find_tool › works without a handshake, with a complete result', async () => {
    const { url } = await open();
    const call = { name: 'find_tool', arguments: { query: 'issue', limit: 2 } };
    const { result } = await modernRequest(url, 'tools/call', call);
    // SAFETY: the next lines fail for another result.
    const { structuredContent, ...rest } = result as {
      readonly structuredContent: { readonly tools: readonly Members[] };
    };
    expect(structuredContent.tools.map(({ name }) => name)).to.deep.equal([
      'github_create_issue',
      'github_close_issue',
    ]);
    expect(rest).to.include({ resultType: 'complete' }).and.not.have.any.keys('ttlMs', 'cacheScope', 'tools');
  });

  it('find_tool › finds no tool that a policy hides, and policies see a list', async () => {
    const policy = new HidingPolicy('github/close_issue');
    const instance = { name: 'hiding', placed: 'authorize' as const, instance: policy };
    const { client } = await open({ middleware: [instance] });
    const { structuredContent } = await client.callTool({ name: 'find_tool', arguments: { query: 'issue' } });
    expect(JSON.stringify(structuredContent)).to.include('github_list_issues').and.not.include('close_issue');
    expect(policy.seen).to.include('tools/list').and.not.include('tools/call find_tool');
  });

  it('call_tool › has the annotations of the tools that a policy leaves', async () => {
    const policy = new HidingPolicy('github/close_issue');
    const { client } = await open({
      middleware: [{ name: 'hiding', placed: 'authorize', instance: policy }],
    });
    const [, call] = (await client.listTools()).tools;
    expect(call?.annotations).to.include({ readOnlyHint: false, destructiveHint: false });
  });

  it('call_tool › calls the inner tool, which policies see by member and own name', async () => {
    const policy = new HidingPolicy('github/close_issue');
    const { client } = await open({
      middleware: [{ name: 'hiding', placed: 'authorize', instance: policy }],
    });
    const inner = { name: 'weather_forecast', arguments: { city: 'Oslo', count: 3 } };
    const { content } = await client.callTool({ name: 'call_tool', arguments: inner });
    expect(content).to.deep.equal([
      { type: 'text', text: '{"member":"weather","name":"forecast","arguments":{"city":"Oslo","count":3}}' },
    ]);
    expect(policy.seen).to.include('tools/call weather/forecast').and.not.include('tools/call call_tool');
  });

  it('call_tool › responds as the inner call when a policy refuses it, and when no member has the tool', async () => {
    const policy = new HidingPolicy('github/close_issue');
    const { client } = await open({
      middleware: [{ name: 'hiding', placed: 'authorize', instance: policy }],
    });
    for (const name of ['github_close_issue', 'github/close_issue', 'nothing']) {
      const direct = await failure(client.callTool({ name, arguments: {} }));
      expect(await failure(client.callTool({ name: 'call_tool', arguments: { name } })), name).to.equal(
        direct,
      );
    }
  });

  it('call_tool › needs no header for an argument that the inner tool repeats in one', async () => {
    const inputSchema = { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } };
    const weather = fakeMember('weather', {
      era: 'modern',
      results: { 'tools/list': { tools: [{ name: 'forecast', inputSchema }] } },
      respond: echo('weather'),
    });
    const options = { search: { mode: 'always' as const }, toolIndex: new WordIndex() };
    const { url } = await servers.open([weather], options);
    const inner = { name: 'weather_forecast', arguments: { city: 'Bern' } };
    const direct = await modernRequest(url, 'tools/call', inner);
    expect(direct.error).to.include({ code: -32020 });
    const called = await modernRequest(url, 'tools/call', { name: 'call_tool', arguments: inner });
    expect(JSON.stringify(called.result)).to.include('Bern');
  });

  it('call_tool › calls with an empty object when no arguments are named', async () => {
    const { url } = await open();
    const none = await modernRequest(url, 'tools/call', {
      name: 'call_tool',
      arguments: { name: 'weather_forecast' },
    });
    expect(JSON.stringify(none.result)).to.include(String.raw`\"arguments\":{}`);
  });

  it('find_tool and call_tool › tell the model what is wrong with its arguments', async () => {
    const { client, url } = await open();
    const missing = await client.callTool({ name: 'find_tool', arguments: { q: 'weather' } });
    expect(missing).to.have.property('isError', true);
    expect(JSON.stringify(missing.content)).to.include('expected a text that says what the tool does');
    const nested = {
      name: 'call_tool',
      arguments: { name: 'call_tool', arguments: { name: 'weather_forecast' } },
    };
    const { result } = await modernRequest(url, 'tools/call', nested);
    expect(result).to.include({ resultType: 'complete', isError: true });
  });

  it('find_tool › reports an index that fails to the model and to the log, and ignores unknown keys', async () => {
    const failing: ToolIndex = { build: () => ({ search: () => Promise.reject(new Error('out of order')) }) };
    const { client } = await open({ toolIndex: failing });
    const result = await client.callTool({ name: 'find_tool', arguments: { query: 'weather' } });
    expect(result).to.include({ isError: true });
    const odd = ['weather/forecast', 'weather/forecast', 'toString', 'github/gone'];
    const strange = await open({ toolIndex: { build: () => ({ search: () => odd }) } });
    const { structuredContent } = await strange.client.callTool({
      name: 'find_tool',
      arguments: { query: 'x' },
    });
    expect(Object(structuredContent).tools).to.have.length(1);
  });

  it('find_tool › leaves out matches above the maximum length, but never the first', async () => {
    const long = ['one', 'two', 'three'].map((name) => ({
      name,
      description: name.repeat(25_000),
      inputSchema: { type: 'object' },
    }));
    const member = fakeMember('m', { results: { 'tools/list': { tools: long } } });
    const { url } = await servers.open([member], { search: { mode: 'always' }, toolIndex: new WordIndex() });
    const find = (query: string) =>
      modernRequest(url, 'tools/call', { name: 'find_tool', arguments: { query } });
    const { result } = await find('one two three');
    expect(
      Object(result).structuredContent.tools.map(({ name }: { readonly name: string }) => name),
    ).to.deep.equal(['m_one']);
    expect(Object((await find('three')).result).structuredContent.tools).to.have.length(1);
  });
});

async function failure(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  return error instanceof Error ? error.message : String(error);
}
