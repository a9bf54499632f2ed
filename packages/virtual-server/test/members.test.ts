import { expect } from 'chai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { echo, type FakeMember, fakeMember, type Members, toolsOf } from './support/fake-member.ts';
import { modernRequest } from './support/modern-request.ts';
import { VirtualServers } from './support/virtual-servers.ts';

const ERAS = ['legacy', 'modern'] as const;

describe('virtual server', () => {
  const servers = new VirtualServers();
  const clients: Client[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await servers.close();
  });

  async function connect(url: URL): Promise<Client> {
    const client = new Client({ name: 'test', version: '1.0.0' });
    clients.push(client);
    await client.connect(new StreamableHTTPClientTransport(url));
    return client;
  }

  function members(era: (typeof ERAS)[number]): readonly FakeMember[] {
    return [
      fakeMember('github', {
        era,
        results: { 'tools/list': toolsOf('search', 'merge') },
        respond: echo('github'),
      }),
      fakeMember('notes', {
        era,
        results: { 'tools/list': toolsOf('search') },
        respond: echo('notes'),
      }),
    ];
  }

  for (const era of ERAS) {
    describe(`with ${era} members`, () => {
      it('tools/list › has the tools of all members for a client with a handshake, in order', async () => {
        const { url } = await servers.open(members(era));
        const { tools } = await (await connect(url)).listTools();
        expect(tools.map(({ name }) => name)).to.deep.equal([
          'github_search',
          'github_merge',
          'notes_search',
        ]);
        expect(tools[0]).to.include({ description: 'Does search' });
      });

      it('tools/list › has the same tools for a client without a handshake', async () => {
        const { url } = await servers.open(members(era));
        const { result } = await modernRequest(url, 'tools/list');
        // SAFETY: the next line fails for another result.
        const { tools, ...rest } = result as { readonly tools: readonly Members[] };
        expect(tools.map(({ name }) => name)).to.deep.equal([
          'github_search',
          'github_merge',
          'notes_search',
        ]);
        const cacheScope = era === 'modern' ? 'public' : 'private';
        expect(rest).to.include({ resultType: 'complete', cacheScope });
      });

      it('tools/call › reaches the member of the tool under its own name', async () => {
        const { url } = await servers.open(members(era));
        const client = await connect(url);
        const { content } = await client.callTool({ name: 'notes_search', arguments: { q: 1 } });
        expect(content).to.deep.equal([
          { type: 'text', text: '{"member":"notes","name":"search","arguments":{"q":1}}' },
        ]);
        const { result } = await modernRequest(url, 'tools/call', {
          name: 'github_search',
          arguments: { q: 2 },
        });
        expect(JSON.stringify(result)).to.include(String.raw`\"member\":\"github\",\"name\":\"search\"`);
      });

      it('tools/call › refuses a tool that no member has, and the name of the message path', async () => {
        const { url } = await servers.open(members(era));
        const client = await connect(url);
        for (const name of ['nothing', 'github/search', 'other_search', 'search'])
          expect((await failure(client.callTool({ name }))).message).to.include(`Unknown tool: ${name}`);
      });
    });
  }

  it('initialize › does not wait for a member that never responds', async () => {
    const silent = fakeMember('silent', {}, { open: () => new Promise(() => undefined) });
    const { url } = await servers.open([silent]);
    const client = await connect(url);
    expect(client.getServerVersion()).to.deep.include({ name: 'desk' });
    expect(client.getServerCapabilities()).to.have.keys([
      'tools',
      'prompts',
      'resources',
      'completions',
      'logging',
    ]);
  });

  it('tools/call › fails in time when a member does not respond, and says which', async () => {
    const slow = fakeMember(
      'slow',
      { results: { 'tools/list': toolsOf('wait') }, respond: () => undefined },
      { timeoutMs: 200 },
    );
    const { url } = await servers.open([slow]);
    const error = await failure((await connect(url)).callTool({ name: 'slow_wait' }));
    expect(error.message).to.include('The member "slow" did not respond');
    expect(error).to.deep.include({ code: -32603, data: { member: 'slow', retryAfterSeconds: 1 } });
  });

  it('tools/call › tells a client that a member refuses its credentials, without the challenge', async () => {
    const challenge = 'Bearer resource_metadata="https://elsewhere.example/"';
    const data = { reason: 'unauthorized', status: 401, challenge };
    const locked = fakeMember(
      'locked',
      {
        results: { 'tools/list': toolsOf('open') },
        respond: () => ({ error: { code: -32603, message: 'locked refuses the request', data } }),
      },
      { onOutcome: () => () => undefined },
    );
    const { url } = await servers.open([locked]);
    const error = await failure((await connect(url)).callTool({ name: 'locked_open' }));
    expect(error.message).to.include('locked refuses the request');
    expect(error).to.deep.include({
      code: -32603,
      data: { reason: 'unauthorized', status: 401, retryAfterSeconds: 1, member: 'locked' },
    });
  });

  it('settings › rename, describe, select and leave out the prefix', async () => {
    const github = fakeMember(
      'github',
      { results: { 'tools/list': toolsOf('search', 'merge', 'drop') }, respond: echo('github') },
      {
        settings: {
          prefix: false,
          tools: ['search', 'merge'],
          override: { search: { name: 'find', description: 'Finds code' } },
        },
      },
    );
    const { url } = await servers.open([github]);
    const client = await connect(url);
    const { tools } = await client.listTools();
    expect(tools.map(({ name, description }) => [name, description])).to.deep.equal([
      ['find', 'Finds code'],
      ['merge', 'Does merge'],
    ]);
    const { content } = await client.callTool({ name: 'find' });
    expect(JSON.stringify(content)).to.include(String.raw`\"name\":\"search\"`);
    for (const name of ['search', 'drop'])
      expect((await failure(client.callTool({ name }))).message).to.include('Unknown tool');
  });

  it('resources/read › goes to the first member that lists the URI, and by template to another', async () => {
    const read = (name: string) => ({
      'resources/read': { contents: [{ uri: 'x', text: name }] },
    });
    const capabilities = { resources: {} };
    const first = fakeMember('first', {
      capabilities,
      results: { 'resources/list': { resources: [{ uri: 'a://1', name: 'one' }] }, ...read('first') },
    });
    const second = fakeMember('second', {
      capabilities,
      results: {
        'resources/list': {
          resources: [
            { uri: 'a://1', name: 'claimed' },
            { uri: 'a://2', name: 'two' },
          ],
        },
        'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'b://{id}', name: 'b' }] },
        ...read('second'),
      },
    });
    const { url, server } = await servers.open([first, second]);
    const client = await connect(url);
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name)).to.deep.equal(['one', 'two']);
    const owner = async (uri: string): Promise<unknown> => (await client.readResource({ uri })).contents[0];
    expect(await owner('a://1')).to.include({ text: 'first' });
    expect(await owner('a://2')).to.include({ text: 'second' });
    expect(await owner('b://7')).to.include({ text: 'second' });
    expect(await failure(client.readResource({ uri: 'c://1' }))).to.include({ code: -32002 });
    const [, status] = server.status();
    expect(status?.findings).to.deep.equal(['It lists "a://1", which belongs to "first".']);
  });
});

async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it did not fail');
}
