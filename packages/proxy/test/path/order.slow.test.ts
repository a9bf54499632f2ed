import { eventually } from '@portolan/plugin-testing';
import {
  type AuthProvider,
  PROXY_SLOTS,
  type ProxyMiddleware,
  type ProxySlot,
  type RequestEnd,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { MESSAGE_PATH } from '../../src/request/message-path.ts';
import { send } from '../support/http-client.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { type Script, ScriptedServers } from '../support/scripted-server.ts';
import { speak } from '../support/spoken-to.ts';

const CALL = { id: 1, method: 'tools/call', params: { name: 'plain', arguments: { city: 'Rome' } } };

describe('MESSAGE_PATH', () => {
  const proxies = new Proxies();
  let servers: ScriptedServers;
  afterEach(() => proxies.close());

  async function open(options: TestProxyOptions = {}, received: Script['received'] = speak) {
    servers = new ScriptedServers({ received });
    const backend = servers.backend();
    return await proxies.open(backend, options);
  }

  /** Returns a middleware for every slot. Each records its calls in `seen`. */
  function witnesses(seen: string[], ends: RequestEnd[] = []) {
    const at = (placed: ProxySlot, more: ProxyMiddleware = {}) => ({
      name: placed,
      placed,
      instance: {
        onRequest: ({ caller }) => void seen.push(`${placed} request ${caller?.subject ?? 'nobody'}`),
        onMessage: (message) => {
          const city = /"city":"(\w+)"/.exec(message.text)?.[1];
          if (city !== undefined) seen.push(`${placed} ${city}`);
        },
        onResponse: (message) => {
          if (message.text.includes('"content"')) seen.push(`${placed} answer`);
        },
        ...more,
      } satisfies ProxyMiddleware,
    });
    const changing = (placed: ProxySlot, from: string, to: string) =>
      at(placed, {
        onMessage: (message) => {
          if (!message.text.includes(`"${from}"`)) return undefined;
          seen.push(`${placed} ${from}`);
          return { change: [{ path: ['params', 'arguments', 'city'], json: `"${to}"` }] };
        },
      });
    const observing = at('observe', { onEnd: (end) => void ends.push(end) });
    // The order of this list must not matter, because the proxy sorts by slot.
    return [
      ...PROXY_SLOTS.filter((slot) => !['observe', 'names', 'mutate'].includes(slot))
        .toReversed()
        .map((slot) => at(slot)),
      changing('mutate', 'Paris', 'Oslo'),
      changing('names', 'Rome', 'Paris'),
      observing,
    ];
  }

  const provider = (seen: string[]): AuthProvider => ({
    verify: async (ctx, next) => {
      seen.push('authenticate');
      if (ctx.get('Authorization') === '') {
        throw Object.assign(new Error('who?'), {
          status: 401,
          expose: true,
          headers: { 'WWW-Authenticate': 'Bearer realm="w"' },
        });
      }
      await next();
    },
    identify: () => ({ subject: 'ada', claims: {} }),
  });

  it('lists the steps in their order', () => {
    expect(MESSAGE_PATH.map(({ step }) => step)).to.deep.equal([
      'report',
      'own paths',
      'observe',
      'guard',
      'authenticate',
      'limit',
      'read',
      'parse',
      'era',
      'names',
      'session',
      'mutate',
      'parse again',
      'validate',
      'authorize',
      'exchange',
      'serve',
      'filter',
    ]);
  });

  it('is run in this order for a request, and in reverse for its response', async () => {
    const seen: string[] = [];
    const { url } = await open({ middleware: witnesses(seen), authProvider: provider(seen) });
    const answer = await new McpClient(url).post(initialize(), { headers: { Authorization: 'x' } });
    const client = new McpClient(url, String(answer.headers['mcp-session-id']));
    seen.length = 0;
    const { json } = await client.post(CALL, { headers: { Authorization: 'x' } });
    expect(json.result.content[0].text).to.equal('{"city":"Oslo"}');
    expect(seen).to.deep.equal([
      'observe request nobody',
      'authenticate',
      ...['limit', 'names', 'mutate', 'validate', 'authorize', 'exchange', 'filter'].map(
        (slot) => `${slot} request ada`,
      ),
      'observe Rome',
      'names Rome',
      'limit Paris',
      'mutate Paris',
      ...['validate', 'authorize', 'exchange', 'filter'].map((slot) => `${slot} Oslo`),
      ...PROXY_SLOTS.toReversed().map((slot) => `${slot} answer`),
    ]);
  });

  it('sends an error of the auth provider with its status and headers, and runs no later step', async () => {
    const seen: string[] = [];
    const ends: RequestEnd[] = [];
    const { url } = await open({ middleware: witnesses(seen, ends), authProvider: provider(seen) });
    const answer = await new McpClient(url).post(initialize());
    expect([answer.status, answer.headers['www-authenticate']]).to.deep.equal([401, 'Bearer realm="w"']);
    expect(answer.json).to.deep.equal({ error: 'invalid_token', error_description: 'who?' });
    expect(seen).to.deep.equal(['observe request nobody', 'authenticate']);
    await eventually(() => expect(ends.map(({ status }) => status)).to.deep.equal([401]));
  });

  it('G03: shows observers once what is refused before the body is read', async () => {
    const ends: RequestEnd[] = [];
    const { url } = await open({ middleware: witnesses([], ends) });
    await new McpClient(url).post(CALL, { headers: { 'Content-Type': 'text/plain' } });
    await new McpClient(url).post(CALL, { headers: { Origin: 'https://evil.example' } });
    await eventually(() =>
      expect(ends.map(({ status, refusedWith }) => [status, refusedWith])).to.deep.equal([
        [415, 'ERR_CONTENT_TYPE_UNSUPPORTED'],
        [403, 'ERR_ORIGIN_NOT_ALLOWED'],
      ]),
    );
  });

  it('lets limiting middleware refuse with status and headers before the body is read', async () => {
    const limit: ProxyMiddleware = {
      onRequest: () => {
        throw Object.assign(new Error('Too often.'), {
          status: 429,
          expose: true,
          headers: { 'Retry-After': '7' },
        });
      },
      onMessage: () => expect.fail('nothing was to be read'),
    };
    const { url } = await open({ middleware: [{ name: 'limit', placed: 'limit', instance: limit }] });
    const answer = await new McpClient(url).post(initialize());
    expect([answer.status, answer.headers['retry-after'], answer.json.error.message]).to.deep.equal([
      429,
      '7',
      'Too often.',
    ]);
  });

  it('reports middleware that throws or breaks its contract as an internal error, and sends nothing to the server', async () => {
    const faults: readonly ProxyMiddleware[] = [
      {
        onMessage: () => {
          throw new Error('hunter2');
        },
      },
      { onMessage: async () => await Promise.reject(new Error('hunter2')) },
      { onMessage: () => ({ change: [{ path: ['id'], json: '9' }] }) },
      { onMessage: () => ({ change: [{ path: ['nowhere', 'x'], json: '9' }] }) },
      { onMessage: () => ({ change: [{ path: ['params', 'x'], json: '9,"name":"other"' }] }) },
      // @ts-expect-error a plugin that is not written in TypeScript
      { onMessage: () => ({ refused: true }) },
      { onMessage: () => ({ response: 'no JSON' }) },
    ];
    for (const instance of faults) {
      const { url, logger } = await open({ middleware: [{ name: 'broken', placed: 'mutate', instance }] });
      const answer = await new McpClient(url).post(initialize());
      expect([answer.status, answer.json]).to.deep.equal([
        200,
        { jsonrpc: '2.0', id: 'init', error: { code: -32603, message: 'Internal error' } },
      ]);
      expect(servers.greeted).to.deep.equal([]);
      expect(logger.lines.filter(({ level }) => level === 'error')).to.have.length(1);
    }
  });

  it('refuses a change in a slot after which no policy would check it', async () => {
    for (const placed of ['validate', 'authorize', 'exchange', 'filter', 'observe', 'limit'] as const) {
      const instance: ProxyMiddleware = {
        onMessage: () => ({ change: [{ path: ['params', 'x'], json: '1' }] }),
      };
      const { url } = await open({ middleware: [{ name: 'late', placed, instance }] });
      const { status, json } = await new McpClient(url).post(initialize());
      expect([status, json.error.code], placed).to.deep.equal([200, -32603]);
      expect(servers.greeted).to.deep.equal([]);
    }
  });

  it('refuses an ambiguous response of the server, and passes the next one', async () => {
    const middleware = [
      { name: 'any', placed: 'filter' as const, instance: { onResponse: () => undefined } },
    ];
    const { url } = await open({ middleware }, (message, server) => {
      if (message.method !== 'tools/call') speak(message, server);
      else server.write(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"a":1,"a":2}}`);
    });
    const client = await McpClient.connect(url);
    const answer = await client.post(CALL);
    expect([answer.status, answer.json.id, answer.json.error.code]).to.deep.equal([502, 1, -32603]);
    expect(answer.text).not.to.include('"a":2');
    expect((await client.post({ id: 2, method: 'tools/list' })).status).to.equal(200);
  });

  it('serves paths of middleware, but none that the server could have', async () => {
    const own = (path: string): ProxyMiddleware => ({
      servedPaths: [
        {
          path,
          methods: ['GET'],
          respond: (request) => ({
            status: 200,
            headers: { 'Content-Type': 'text/plain' },
            body: request.path,
          }),
        },
      ],
    });
    const paths = ['/metrics', '/.well-known/oauth-protected-resource/*'];
    const middleware = paths.map((path) => ({ name: path, placed: 'observe' as const, instance: own(path) }));
    const { origin } = await open({ middleware });
    const asked = [
      '/metrics',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
    ];
    for (const path of asked) {
      const answer = await send(new URL(path, origin));
      expect([answer.status, answer.text, answer.headers['content-type']]).to.deep.equal([
        200,
        path,
        'text/plain',
      ]);
    }
    expect((await send(new URL('/.well-known/other', origin))).status).to.equal(404);
    expect((await send(new URL('/metrics', origin), { method: 'POST' })).status).to.equal(405);
    for (const path of ['/mcp', '/health', '/.well-known/*', '/*', '/metrics/x']) {
      const instance = own(path);
      await open({ middleware: [{ name: 'greedy', placed: 'observe', instance }] }).then(
        () => expect.fail(path),
        (error: unknown) => expect(error).to.have.property('code', 'ERR_PROXY_MIDDLEWARE'),
      );
    }
  });
});
