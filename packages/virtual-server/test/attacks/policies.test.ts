import type { ProxyMiddleware, ServerMessage } from '@portolan/plugin-api';
import type { PlacedProxyMiddleware } from '@portolan/proxy';
import { expect } from 'chai';
import { setTimeout as pass } from 'node:timers/promises';
import { echo, type FakeMember, fakeMember, type Members, toolsOf } from '../support/fake-member.ts';
import { LegacyClient } from '../support/legacy-client.ts';
import { modernRequest, postModern } from '../support/modern-request.ts';
import { VirtualServers } from '../support/virtual-servers.ts';

const DENIED = 'github/drop';
const FORBIDDEN = { refuse: { message: 'denied by policy' } };

/** A policy as Cedar: denies calls of names, and removes them from lists. */
class Policy implements ProxyMiddleware {
  readonly seen: string[] = [];
  readonly denied: (name: string) => boolean;

  constructor(denied: (name: string) => boolean) {
    this.denied = denied;
  }

  onMessage(message: Parameters<NonNullable<ProxyMiddleware['onMessage']>>[0]) {
    if (message.kind !== 'request') return undefined;
    const ref = message.params?.['ref'];
    const named = (message.method === 'completion/complete' ? ref : message.params) as Members | undefined;
    const name = named?.['name'] ?? named?.['uri'];
    if (typeof name !== 'string') return undefined;
    this.seen.push(name);
    return this.denied(name) ? FORBIDDEN : undefined;
  }

  onResponse(message: ServerMessage) {
    if (message.kind !== 'response') return undefined;
    const { tools } = (message.result ?? {}) as { readonly tools?: readonly { readonly name: string }[] };
    if (tools === undefined) return undefined;
    const left = tools.filter(({ name }) => !this.denied(name));
    return { change: [{ path: ['result', 'tools'], json: JSON.stringify(left) }] };
  }
}

const placed = (instance: ProxyMiddleware): PlacedProxyMiddleware => ({
  name: 'policy',
  placed: 'authorize',
  instance,
});

describe('attacks on policies', () => {
  const servers = new VirtualServers();
  afterEach(() => servers.close());

  const TOOLS = toolsOf('search', 'drop');

  function github(tools: Members | (() => Members) = TOOLS): FakeMember {
    return fakeMember('github', {
      capabilities: { tools: { listChanged: true }, prompts: {}, completions: {} },
      results: { 'tools/list': tools, 'prompts/list': { prompts: [{ name: 'drop' }] } },
      respond: echo('github'),
    });
  }

  function reached({ connections }: FakeMember): readonly unknown[] {
    return connections
      .flatMap(({ messages }) => messages)
      .filter(({ method }) => ['tools/call', 'prompts/get', 'completion/complete'].includes(method ?? ''));
  }

  it('policies › see the member and own name when the exposed name is another', async () => {
    const policy = new Policy(() => false);
    const override = { search: { name: 'find' } };
    const member = fakeMember(
      'github',
      { results: { 'tools/list': TOOLS }, respond: echo('github') },
      { settings: { prefix: false, override } },
    );
    const { url } = await servers.open([member], { middleware: [placed(policy)] });
    await modernRequest(url, 'tools/call', { name: 'find' });
    await modernRequest(url, 'tools/call', { name: 'drop' });
    expect(policy.seen).to.deep.equal(['github/search', DENIED]);
  });

  it('tools/call › of a denied tool is refused under every spelling of its name', async () => {
    const policy = new Policy((name) => name === DENIED);
    const member = github();
    const { url } = await servers.open([member], { middleware: [placed(policy)] });
    const client = await LegacyClient.connect(url);
    const names = [
      '"github_drop"',
      String.raw`"github\u005fdrop"`,
      String.raw`"\u0067ithub_drop"`,
      '"github/drop"',
      String.raw`"github\/drop"`,
      '"drop"',
    ];
    for (const name of names) {
      const response = await client.postText(
        `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":${name}}}`,
      );
      expect(await response.text(), name).to.include('"error"');
    }
    const doubled = await client.postText(
      '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"github_search","name":"github_drop"}}',
    );
    expect(doubled.status).to.equal(400);
    expect(reached(member)).to.deep.equal([]);
    await client.close();
  });

  it('tools/call › of a denied tool is refused inside a batch, and the others run', async () => {
    const policy = new Policy((name) => name === DENIED);
    const member = github();
    const { url } = await servers.open([member], { middleware: [placed(policy)] });
    const client = await LegacyClient.connect(url, {}, '2025-03-26');
    const call = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name },
    });
    const response = await client.postText(
      JSON.stringify([call(1, 'github_search'), call(2, 'github_drop')]),
    );
    const text = await response.text();
    expect(text).to.include('denied by policy').and.include('search');
    expect(reached(member)).to.have.length(1);
    await client.close();
  });

  it('tools/call › of a denied tool is refused when the headers name another', async () => {
    const policy = new Policy((name) => name === DENIED);
    const member = github();
    const { url } = await servers.open([member], { middleware: [placed(policy)] });
    const headers = { 'Mcp-Name': 'github_search' };
    const response = await postModern(url, 'tools/call', { name: 'github_drop' }, { headers });
    expect(response.status).to.equal(400);
    await response.text();
    expect(reached(member)).to.deep.equal([]);
  });

  it('call_tool › of a denied tool is refused as the call itself, and find_tool does not find it', async () => {
    const policy = new Policy((name) => name === DENIED);
    const member = github();
    const built: string[][] = [];
    const toolIndex = {
      build: (tools: readonly { readonly key: string }[]) => {
        const keys = tools.map(({ key }) => key);
        built.push(keys);
        return { search: () => [...keys, DENIED] };
      },
    };
    const filter = { name: 'filter', placed: 'mutate' as const, instance: policy };
    const { url } = await servers.open([member], {
      middleware: [filter],
      search: { mode: 'always' },
      toolIndex,
    });
    const call = (name: string, params: Members) =>
      modernRequest(url, 'tools/call', { name, arguments: params });
    const { error } = await call('call_tool', { name: 'github_drop', arguments: {} });
    expect(error?.message).to.equal('denied by policy');
    const found = JSON.stringify((await call('find_tool', { query: 'drop' })).result);
    expect(found).to.include('github_search').and.not.include('github_drop');
    expect(built.flat()).to.not.include(DENIED);
    expect(reached(member)).to.deep.equal([]);
    for (const name of ['find_tool', 'call_tool', 'github/drop', 'drop', 'evil_drop']) {
      const { error: refusal, result } = await call('call_tool', {
        name,
        arguments: { name: 'github_drop' },
      });
      expect(JSON.stringify(refusal ?? result), name).to.match(/"code":|"isError":true/);
    }
    expect(reached(member)).to.deep.equal([]);
  });

  it('tools/call › of an own name that apps may call is refused by the policy for the tool', async () => {
    const policy = new Policy((name) => name === DENIED);
    const tools = {
      tools: [{ name: 'drop', inputSchema: { type: 'object' }, _meta: { ui: { visibility: ['app'] } } }],
    };
    const member = github(tools);
    const { url } = await servers.open([member], { middleware: [placed(policy)] });
    await modernRequest(url, 'tools/list');
    expect((await modernRequest(url, 'tools/call', { name: 'drop' })).error?.message).to.equal(
      'denied by policy',
    );
    expect(reached(member)).to.deep.equal([]);
  });

  it('prompts/get and completion/complete › of a denied prompt are refused', async () => {
    const policy = new Policy((name) => name === DENIED);
    const member = github();
    const { url } = await servers.open([member], { middleware: [placed(policy)] });
    const ref = { type: 'ref/prompt', name: 'github_drop' };
    for (const [method, params] of [
      ['prompts/get', { name: 'github_drop' }],
      ['completion/complete', { ref, argument: { name: 'x', value: '' } }],
      ['prompts/get', { name: DENIED }],
      ['completion/complete', { ref: { ...ref, name: DENIED }, argument: { name: 'x', value: '' } }],
    ] as const)
      expect((await modernRequest(url, method, params)).error, method).to.not.equal(undefined);
    expect(reached(member)).to.deep.equal([]);
  });

  it('list_changed › reaches only the sessions whose own view has changed, also after policies', async () => {
    const isHidden = (name: string): boolean => name.startsWith('github/secret');
    const policy = { ...placed(new Policy(isHidden)), placed: 'mutate' as const };
    let tools = toolsOf('search');
    const member = github(() => tools);
    const { url } = await servers.open([member], { middleware: [policy] });
    const client = await LegacyClient.connect(url);
    const stream = await client.listen();
    await client.request('tools/list');
    const [connection] = member.connections.filter(({ messages }) =>
      messages.some(({ method }) => method === 'tools/list'),
    );
    const changed = async (next: Members): Promise<void> => {
      tools = next;
      connection?.say({ method: 'notifications/tools/list_changed' });
      await pass(500);
    };
    await changed(toolsOf('search', 'secret_1'));
    await changed(toolsOf('search', 'secret_2', 'secret_3'));
    await changed(toolsOf('search', 'secret_2'));
    expect(stream.methods(), 'after changes of hidden tools').to.deep.equal([]);
    await changed(toolsOf('search', 'shown'));
    expect(stream.methods()).to.deep.equal(['notifications/tools/list_changed']);
    await changed(toolsOf('search'));
    expect(stream.methods(), 'after a removal').to.have.length(2);
    await stream.close();
    await client.close();
  });
});
