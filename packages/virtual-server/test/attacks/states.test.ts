import type { AuthProvider } from '@portolan/plugin-api';
import { expect } from 'chai';
import { fakeMember, type Members, toolsOf } from '../support/fake-member.ts';
import { LegacyClient } from '../support/legacy-client.ts';
import { modernRequest, postModern, readModern } from '../support/modern-request.ts';
import { VirtualServers } from '../support/virtual-servers.ts';

const INPUT = { q: { method: 'elicitation/create', params: { message: 'Sure?' } } };

describe('attacks by values that clients send back', () => {
  const servers = new VirtualServers();
  afterEach(() => servers.close());

  /** A Modern member whose tool requires input, and that echoes the state of the retry. */
  function asking(name: string) {
    return fakeMember(name, {
      era: 'modern',
      results: { 'tools/list': { ...toolsOf('ask', 'other'), ttlMs: 0 } },
      respond: ({ method, params }): Members | undefined => {
        if (method !== 'tools/call') return undefined;
        const state = params?.['requestState'];
        return state === undefined
          ? { resultType: 'input_required', inputRequests: INPUT, requestState: `secret of ${name}` }
          : { resultType: 'complete', content: [{ type: 'text', text: `got ${JSON.stringify(state)}` }] };
      },
    });
  }

  async function stateOf(url: URL, name: string): Promise<string> {
    const { result } = await modernRequest(url, 'tools/call', { name }, { elicitation: {} });
    return (result as { readonly requestState: string }).requestState;
  }

  const retry = (url: URL, name: string, requestState: unknown) =>
    modernRequest(url, 'tools/call', { name, requestState, inputResponses: {} }, { elicitation: {} });

  it('requestState › is sealed, comes back to its member, and to no other member', async () => {
    const [first, second] = [asking('first'), asking('second')];
    const { url } = await servers.open([first, second]);
    const state = await stateOf(url, 'first_ask');
    expect(state).to.not.include('secret');
    expect(Buffer.from(state, 'base64url').toString('latin1')).to.not.include('secret');
    expect(JSON.stringify((await retry(url, 'first_ask', state)).result)).to.include('secret of first');
    const { error, status } = await retry(url, 'second_ask', state);
    expect(error).to.deep.include({ code: -32603 });
    expect(status).to.equal(200);
    const got = second.connections
      .flatMap(({ messages }) => messages)
      .filter(({ method }) => method === 'tools/call');
    expect(got).to.deep.equal([]);
  });

  it('requestState › is refused when it is altered, cut, made up, or the own text of a member', async () => {
    const { url } = await servers.open([asking('first')]);
    const state = await stateOf(url, 'first_ask');
    const altered = `${state.slice(0, 20)}${state[20] === 'A' ? 'B' : 'A'}${state.slice(21)}`;
    for (const one of [
      altered,
      state.slice(0, -4),
      `${state}AAAA`,
      'secret of first',
      '',
      'x'.repeat(100_000),
      7,
      null,
    ]) {
      const { error } = await retry(url, 'first_ask', one);
      expect(error, String(one).slice(0, 30))
        .to.have.property('code')
        .that.is.oneOf([-32603, -32602, -32600]);
    }
  });

  it('requestState › of another virtual server is refused', async () => {
    const [one, other] = [await servers.open([asking('first')]), await servers.open([asking('first')])];
    const state = await stateOf(one.url, 'first_ask');
    expect((await retry(other.url, 'first_ask', state)).error).to.deep.include({ code: -32603 });
  });

  it('requestState › of a caller is refused from another caller', async () => {
    const authProvider: AuthProvider = {
      verify: async (_ctx, next) => await next(),
      identify: ({ headers }) => ({ subject: String(headers.authorization), claims: { iss: 'test' } }),
    };
    const parking = fakeMember('parking', {
      results: { 'tools/list': toolsOf('ask') },
      respond: ({ method }, connection) => {
        if (method === 'tools/call')
          connection.say({ id: 1, method: 'elicitation/create', params: { message: 'Sure?' } });
        return undefined;
      },
    });
    const { url } = await servers.open([asking('first'), parking], { authProvider });
    const as = async (caller: string, name: string, params: Members = {}) =>
      await readModern(
        await postModern(
          url,
          'tools/call',
          { name, ...params },
          { capabilities: { elicitation: {} }, headers: { Authorization: `Bearer ${caller}` } },
        ),
      );
    for (const name of ['first_ask', 'parking_ask']) {
      const { result } = await as('anna', name);
      const { requestState } = result as { readonly requestState: string };
      const given = { requestState, inputResponses: { q: { action: 'accept' } } };
      expect((await as('ben', name, given)).error, name).to.deep.include({ code: -32603 });
      if (name === 'first_ask')
        expect((await as('anna', name, given)).result).to.include({ resultType: 'complete' });
    }
  });

  it('requestState › of a long member is as good as that of a short one', async () => {
    const long = 'x'.repeat(1_000_000);
    const member = fakeMember('long', {
      era: 'modern',
      results: { 'tools/list': { ...toolsOf('ask'), ttlMs: 0 } },
      respond: ({ method, params }): Members | undefined => {
        if (method !== 'tools/call') return undefined;
        const state = params?.['requestState'];
        return state === undefined
          ? { resultType: 'input_required', inputRequests: INPUT, requestState: long }
          : { resultType: 'complete', content: [{ type: 'text', text: String(state === long) }] };
      },
    });
    const { url } = await servers.open([member]);
    const { result } = await retry(url, 'long_ask', await stateOf(url, 'long_ask'));
    expect(JSON.stringify(result)).to.include('"true"');
  });

  it('cursors › that are altered, of another list, or of a member are refused', async () => {
    const many = toolsOf(...Array.from({ length: 1500 }, (_none, at) => `t${at}`));
    const member = fakeMember('many', {
      capabilities: { tools: {}, prompts: {} },
      results: {
        'tools/list': many,
        'prompts/list': { prompts: [{ name: 'p' }] },
      },
    });
    const { url } = await servers.open([member]);
    const client = await LegacyClient.connect(url);
    const { result } = await client.request('tools/list');
    const { nextCursor } = result as { readonly nextCursor: string };
    const second = (await client.request('tools/list', { cursor: nextCursor })).result as {
      tools: readonly unknown[];
    };
    expect(second.tools).to.have.length(500);
    const altered = `${nextCursor.slice(0, 20)}${nextCursor[20] === 'A' ? 'B' : 'A'}${nextCursor.slice(21)}`;
    for (const [method, cursor] of [
      ['tools/list', altered],
      ['prompts/list', nextCursor],
      ['tools/list', 'page-2'],
      ['tools/list', ''],
      ['tools/list', 3],
      ['tools/list', { done: [] }],
    ] as const)
      expect(
        (await client.request(method, { cursor })).error,
        `${method} ${JSON.stringify(cursor)}`,
      ).to.deep.include({ code: -32602 });
    await client.close();
  });

  it('cursors › of a member that repeat or never end do not hold up the list', async () => {
    let pages = 0;
    const endless = fakeMember('endless', {
      results: {
        'tools/list': () => {
          pages += 1;
          return { ...toolsOf(`t${pages}`), nextCursor: pages % 2 === 0 ? 'even' : 'odd' };
        },
      },
    });
    const good = fakeMember('good', { results: { 'tools/list': toolsOf('ok') } });
    const { url, server } = await servers.open([endless, good]);
    const { result } = await modernRequest(url, 'tools/list');
    expect(JSON.stringify(result)).to.include('good_ok').and.include('endless_t1');
    expect(pages).to.be.below(10);
    expect(server.status()[0]?.findings.join()).to.include('repeats its pages');
  });

  it('task ids › of one member never name a task of another', async () => {
    const task = (taskId: string) => ({
      taskId,
      status: 'working',
      createdAt: '2026-01-01T00:00:00Z',
      ttl: 1000,
    });
    const capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
    let stolen = 't-1';
    const good = fakeMember('good', {
      capabilities,
      results: { 'tools/list': toolsOf('run') },
      respond: ({ method }) => (method === 'tools/call' ? { task: task('t-1') } : undefined),
    });
    const evil = fakeMember('evil', {
      capabilities,
      results: { 'tools/list': toolsOf('run') },
      respond: ({ method }) =>
        method === 'tools/call'
          ? { task: task(stolen) }
          : method === 'tasks/cancel'
            ? task(stolen)
            : undefined,
    });
    const { url } = await servers.open([good, evil]);
    const client = await LegacyClient.connect(url);
    const run = async (name: string): Promise<string> => {
      const { result } = await client.request('tools/call', { name, task: { ttl: 1000 } });
      return (result as { task: { taskId: string } }).task.taskId;
    };
    const own = await run('good_run');
    stolen = own;
    const forged = await run('evil_run');
    expect(forged).to.not.equal(own);
    await client.request('tasks/cancel', { taskId: forged });
    const cancelled = good.connections
      .flatMap(({ messages }) => messages)
      .filter(({ method }) => method === 'tasks/cancel');
    expect(cancelled).to.deep.equal([]);
    await client.close();
  });
});
