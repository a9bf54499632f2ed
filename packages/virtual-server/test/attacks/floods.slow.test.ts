import { expect } from 'chai';
import { setTimeout as pass } from 'node:timers/promises';
import type { ServerConnection } from '@portolan/plugin-api';
import {
  echo,
  type FakeMember,
  fakeMember,
  type Members,
  type Respond,
  toolsOf,
} from '../support/fake-member.ts';
import { LegacyClient } from '../support/legacy-client.ts';
import { modernRequest, modernStream } from '../support/modern-request.ts';
import { type VirtualServerTestOptions, VirtualServers } from '../support/virtual-servers.ts';

const LISTEN = { notifications: { toolsListChanged: true } };
const CHANGED = { method: 'notifications/tools/list_changed' };

/** Requests that end soon, so that tests of members that hang are short. */
const SHORT: VirtualServerTestOptions = { limits: { requestMs: 300, cancelledMs: 50 } };

describe('attacks by amounts and failures of members', () => {
  const servers = new VirtualServers();
  const timers: NodeJS.Timeout[] = [];
  afterEach(async () => {
    for (const timer of timers.splice(0)) clearInterval(timer);
    await servers.close();
  });

  const good = (): FakeMember =>
    fakeMember('good', { results: { 'tools/list': toolsOf('ok') }, respond: echo('good') });

  const evil = (tools: Members | (() => Members), respond: Respond = echo('evil')): FakeMember =>
    fakeMember('evil', { results: { 'tools/list': tools }, respond });

  async function toolsAt(url: URL): Promise<readonly { readonly name: string }[]> {
    const all: { readonly name: string }[] = [];
    let cursor: string | undefined;
    do {
      const { result } = await modernRequest(url, 'tools/list', cursor === undefined ? {} : { cursor });
      const page = result as {
        readonly tools: readonly { readonly name: string }[];
        readonly nextCursor?: string;
      };
      all.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  async function took(promise: Promise<unknown>): Promise<number> {
    const start = performance.now();
    await promise;
    return performance.now() - start;
  }

  it('list_changed › every millisecond causes few requests and few notifications', async () => {
    let reads = 0;
    const member = evil(() => toolsOf('x', `t${(reads += 1)}`));
    const { url } = await servers.open([member, good()]);
    const client = await LegacyClient.connect(url);
    const stream = await client.listen();
    await client.request('tools/list');
    const [connection] = member.connections.filter(({ messages }) =>
      messages.some(({ method }) => method === 'tools/list'),
    );
    reads = 0;
    timers.push(setInterval(() => connection?.say(CHANGED), 1));
    await pass(4000);
    expect(await took(client.request('tools/call', { name: 'good_ok' }))).to.be.below(1000);
    expect(reads).to.be.within(1, 25);
    expect(stream.messages.length).to.be.within(1, 25);
    await stream.close();
    await client.close();
  });

  it('list_changed › of a subscription every millisecond causes few requests', async () => {
    let reads = 0;
    const subscriptions: { say(): void }[] = [];
    const member = fakeMember('evil', {
      era: 'modern',
      results: { 'tools/list': () => ({ ...toolsOf(`t${(reads += 1)}`), ttlMs: 0, resultType: 'complete' }) },
      respond: ({ id, method }, connection) => {
        if (method === 'subscriptions/listen')
          subscriptions.push({
            say: () =>
              connection.say({
                ...CHANGED,
                params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
              }),
          });
        return undefined;
      },
    });
    const { url } = await servers.open([member, good()]);
    await modernRequest(url, 'tools/list');
    const stream = await modernStream(url, 'subscriptions/listen', LISTEN, { id: 9 });
    reads = 0;
    timers.push(setInterval(() => subscriptions.forEach((one) => one.say()), 1));
    await pass(3000);
    expect(reads).to.be.within(1, 25);
    expect(stream.messages.length).to.be.within(2, 25);
    await stream.close();
  });

  it('notifications › in a flood are dropped, and calls at other members go on', async () => {
    const member = evil(toolsOf('x'));
    const { url } = await servers.open([member, good()]);
    const client = await LegacyClient.connect(url);
    await client.request('tools/call', { name: 'evil_x' });
    await client.request('tools/call', { name: 'good_ok' });
    const connection = member.connections.find(({ messages }) =>
      messages.some(({ method }) => method === 'tools/call'),
    );
    const before = process.memoryUsage().heapUsed;
    const data = 'x'.repeat(10_000);
    for (let at = 0; at < 20_000; at += 1)
      connection?.received.push(
        `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${at}${data}"}}`,
      );
    const ms = await took(client.request('tools/call', { name: 'good_ok' }));
    expect(ms).to.be.below(5000);
    expect(process.memoryUsage().heapUsed - before).to.be.below(700 * 1024 * 1024);
    await client.close();
  });

  it('tools/list › shows 10,000 of 100,000 tools, all of the others, and says so', async () => {
    const all = Array.from({ length: 20 }, (_none, page) =>
      Array.from({ length: 5000 }, (_one, at) => ({ name: `t${page * 5000 + at}` })),
    );
    const member = fakeMember('evil', {
      respond: ({ method, params }) => {
        if (method !== 'tools/list') return undefined;
        const page = Number(params?.['cursor'] ?? 0);
        return { tools: all[page], ...(page < 19 ? { nextCursor: String(page + 1) } : {}) };
      },
    });
    const { url, server } = await servers.open([member, good()]);
    const tools = await toolsAt(url);
    expect(tools).to.have.length(10_001);
    expect(tools.at(-1)?.name).to.equal('good_ok');
    expect(server.status()[0]?.findings.join()).to.include('longer than 10000 items');
  });

  it('tools/list › shows part of a list of 64 MiB, and all tools of the others', async () => {
    const description = 'd'.repeat(64 * 1024);
    let page = 0;
    const member = fakeMember('evil', {
      respond: ({ method }) => {
        if (method !== 'tools/list') return undefined;
        page += 1;
        const tools = Array.from({ length: 16 }, (_none, at) => ({ name: `t${page}_${at}`, description }));
        return { tools, ...(page < 64 ? { nextCursor: `c${page}` } : {}) };
      },
    });
    const { url, server } = await servers.open([member, good()]);
    const tools = await toolsAt(url);
    expect(tools.map(({ name }) => name)).to.include('good_ok');
    expect(page).to.be.below(20);
    expect(server.status()[0]?.findings.join()).to.include('16 MiB');
  });

  it('tools/list › has all tools of the others when one member has too many values', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 300 }, (_none, at) => [`p${at}`, { type: 'string' }]),
    );
    const pages = Array.from({ length: 6 }, (_none, page) =>
      Array.from({ length: 60 }, (_one, at) => ({
        name: `t${page}_${at}`,
        inputSchema: { type: 'object', properties },
      })),
    );
    const member = fakeMember('evil', {
      respond: ({ method, params }) => {
        if (method !== 'tools/list') return { content: [] };
        const page = Number(params?.['cursor'] ?? 0);
        return { tools: pages[page], ...(page < 5 ? { nextCursor: String(page + 1) } : {}) };
      },
    });
    const { url, server } = await servers.open([member, good()]);
    const names = (await toolsAt(url)).map(({ name }) => name);
    expect(names).to.include('good_ok').and.include('evil_t0_0');
    expect(names.length).to.be.below(362);
    expect(server.status()[0]?.findings.join()).to.include('too long together');
    const { result } = await modernRequest(url, 'tools/call', { name: 'evil_t5_59' });
    expect(result, 'of a tool that is not shown').to.deep.include({ content: [] });
  });

  it('tools/list › leaves out an item that is nested too deep, and no other', async () => {
    const deep = `${'{"properties":'.repeat(5000)}{}${'}'.repeat(5000)}`;
    const member = fakeMember('evil', {
      respond: ({ id, method }, connection) => {
        if (method === 'tools/list')
          connection.received.push(
            `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":[{"name":"deep","inputSchema":${deep}},{"name":"flat"}]}}`,
          );
        return undefined;
      },
    });
    const { url, server } = await servers.open([member, good()]);
    expect((await toolsAt(url)).map(({ name }) => name)).to.deep.equal(['evil_flat', 'good_ok']);
    expect(server.status()[0]?.findings.join()).to.include('nested deeper');
  });

  it('tools/list › ends with a member whose pages never end', async () => {
    let page = 0;
    const member = evil(() => ({ tools: [], nextCursor: `c${(page += 1)}` }));
    const { url, server } = await servers.open([member, good()]);
    expect((await toolsAt(url)).map(({ name }) => name)).to.deep.equal(['good_ok']);
    expect(page).to.equal(1000);
    expect(server.status()[0]?.findings.join()).to.include('1000 pages');
  });

  it('tools/list › does not wait again for a member that hangs', async () => {
    const member = fakeMember('evil', { respond: () => undefined });
    const { url, server } = await servers.open([member, good()], { limits: { requestMs: 60_000 } });
    const client = await LegacyClient.connect(url);
    expect(await took(client.request('tools/list')), 'the first list').to.be.within(9000, 12_000);
    expect(await took(client.request('tools/list'))).to.be.below(2200);
    expect(await took(modernRequest(url, 'tools/list')), 'of another view').to.be.below(3000);
    expect(await took(client.request('tools/call', { name: 'good_ok' }))).to.be.below(1000);
    expect(server.status()[0]?.findings.join()).to.include('did not come in time');
    await client.close();
  }).timeout(40_000);

  it('tools/call › fails fast after five calls of a member that hangs, and others work', async () => {
    const member = evil(toolsOf('hang'), () => undefined);
    const { url, server } = await servers.open([member, good()], SHORT);
    const client = await LegacyClient.connect(url);
    await client.request('tools/list');
    for (let call = 0; call < 5; call += 1) {
      const { error, status } = await client.request('tools/call', { name: 'evil_hang' });
      expect(status).to.equal(200);
      expect(error).to.deep.include({ code: -32603 });
      expect(error?.data).to.deep.include({ member: 'evil' });
    }
    const ms = await took(client.request('tools/call', { name: 'evil_hang' }));
    expect(ms).to.be.below(200);
    expect(server.status()[0]?.state).to.equal('failing');
    expect((await client.request('tools/call', { name: 'good_ok' })).error).to.equal(undefined);
    await client.close();
  });

  it('tools/call › fails with the same form when a member never accepts a connection', async () => {
    const open = (): Promise<ServerConnection> => new Promise(() => undefined);
    const member = fakeMember('evil', {}, { open });
    const { url } = await servers.open([member, good()], SHORT);
    const client = await LegacyClient.connect(url);
    for (const era of ['legacy', 'modern']) {
      const { error, status } = await (era === 'legacy'
        ? client.request('tools/call', { name: 'evil_x' })
        : modernRequest(url, 'tools/call', { name: 'evil_x' }));
      expect(status, era).to.equal(200);
      expect(error, era).to.deep.include({ code: -32603 });
      expect(error?.data, era).to.deep.include({ member: 'evil', retryAfterSeconds: 1 });
    }
    await client.close();
  });

  it('tools/call › of a member that dies with each call opens its circuit breaker alone', async () => {
    const member = evil(toolsOf('die'), ({ method }, connection) => {
      if (method === 'tools/call') connection.exit();
      return undefined;
    });
    const { url, server } = await servers.open([member, good()]);
    const client = await LegacyClient.connect(url);
    await client.request('tools/list');
    for (let call = 0; call < 6; call += 1) {
      const { error } = await client.request('tools/call', { name: 'evil_die' });
      expect(error?.data).to.deep.include({ member: 'evil' });
      expect((await client.request('tools/call', { name: 'good_ok' })).error).to.equal(undefined);
    }
    expect(server.status().map(({ state }) => state)).to.deep.equal(['failing', 'available']);
    await client.close();
  });

  it('errors › for clients contain nothing of what the supervisor knows of a member', async () => {
    const open = (): Promise<ServerConnection> => Promise.reject(new Error('/home/ada/secret is missing'));
    const { url, server } = await servers.open([fakeMember('evil', {}, { open })]);
    const { error } = await modernRequest(url, 'tools/call', { name: 'evil_x' });
    expect(error?.message).to.include('The member "evil" did not respond').and.not.include('secret');
    expect(server.status()[0]?.lastError).to.be.a('string');
  });

  it('sessions › survive a member that stops reading', async () => {
    const inner = evil(toolsOf('x'));
    let isStuck = false;
    const member: FakeMember = {
      ...inner,
      open: async (signal) => {
        const connection = await inner.open(signal);
        const send = connection.send.bind(connection);
        return Object.assign(connection, {
          send: (text: string) => (isStuck ? new Promise<void>(() => undefined) : send(text)),
        });
      },
    };
    const { url } = await servers.open([member, good()], { limits: { requestMs: 500, queuedMessages: 3 } });
    const client = await LegacyClient.connect(url, { roots: { listChanged: true } });
    await client.request('tools/call', { name: 'evil_x' });
    await client.request('tools/call', { name: 'good_ok' });
    isStuck = true;
    const calls = Array.from({ length: 8 }, () => client.request('tools/call', { name: 'evil_x' }));
    for (let at = 0; at < 8; at += 1) await client.post({ method: 'notifications/roots/list_changed' });
    for (const { error } of await Promise.all(calls)) expect(error).to.deep.include({ code: -32603 });
    expect((await client.request('tools/call', { name: 'good_ok' })).error).to.equal(undefined);
    await client.close();
  });

  it('a session at a member › that ended is opened again without the client noticing', async () => {
    const member = evil(toolsOf('x'));
    const { url } = await servers.open([member]);
    const client = await LegacyClient.connect(url);
    await client.request('tools/call', { name: 'evil_x' });
    for (const connection of member.connections) connection.exit();
    expect((await client.request('tools/call', { name: 'evil_x' })).error).to.equal(undefined);
    await client.close();
  });
});
