import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import type { Identity, ProxyMiddleware, RequestView } from '@portolan/plugin-api';
import { createTestProxyContext, proxyMiddlewareContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { checkDecisionPoint } from '../src/decision-point/decision-point-authorization.ts';
import { decisionPointAuthorization } from '../src/decision-point/decision-point-authorization.ts';
import type { DecisionPointConfig } from '../src/decision-point/decision-point-config.ts';
import { callerFields } from '../src/decision-point/decision-question.ts';
import { ANN, respond, call, exchangeWith, notification, request } from './support.ts';

type Settings = DecisionPointConfig['pdp'];

interface Asked {
  readonly principal: object;
  readonly operation: string;
  readonly resource: string;
  readonly context: object;
}

type Decide = (asked: Asked, response: ServerResponse) => void;

const allow: Decide = (_asked, response) => void response.end('{"allow":true}');
const deny: Decide = (_asked, response) => void response.end('{"allow":false}');
const allowSafe: Decide = ({ resource }, response) =>
  void response.end(JSON.stringify({ allow: resource.includes(':safe') }));

function configOf(url: string, more: Partial<Settings> = {}): DecisionPointConfig {
  return {
    version: '1.0',
    type: 'httpv1',
    pdp: {
      http: { url, timeout: 30, insecure_skip_verify: false },
      claim_mapping: 'standard',
      context: { include_args: false, include_operation: false },
      ...more,
    },
  };
}

proxyMiddlewareContract({
  name: 'decision-point',
  kind: decisionPointAuthorization,
  blocks: [configOf('http://localhost:9000'), configOf('https://pdp.example/base/')],
  // Nothing listens there: whatever needs a decision is denied.
  create: (context) => decisionPointAuthorization.create(configOf('http://127.0.0.1:9'), context),
  judged: [
    {
      from: 'client',
      text: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      caller: ANN,
      becomes: 'passes',
    },
    {
      from: 'client',
      text: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"safe"}}',
      caller: ANN,
      becomes: 'refused',
    },
  ],
});

describe('DecisionPointAuthorizer', () => {
  const opened: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close();
  });

  async function open(decide: Decide, more: Partial<Settings> = {}, timeout = 30) {
    const asked: Asked[] = [];
    const paths: (string | undefined)[] = [];
    let atOnce = 0;
    let maxAtOnce = 0;
    const take = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
      // What was sent is what the test looks at.
      const question = (await json(incoming)) as Asked;
      atOnce += 1;
      maxAtOnce = Math.max(maxAtOnce, atOnce);
      response.once('close', () => (atOnce -= 1));
      paths.push(incoming.url);
      asked.push(question);
      decide(question, response);
    };
    const server = createServer((incoming, response) => void take(incoming, response));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    opened.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-pdp-'));
    opened.push(() => rm(folder, { recursive: true, force: true }));
    // SAFETY: it listens on a port.
    const { port } = server.address() as AddressInfo;
    const context = createTestProxyContext();
    const config = configOf(`http://127.0.0.1:${port}/base/`, more);
    const instance: ProxyMiddleware = await decisionPointAuthorization.create(
      { ...config, pdp: { ...config.pdp, http: { ...config.pdp.http, timeout } } },
      { ...context, workload: { ...context.workload, directory: folder } },
    );
    opened.push(async () => await instance.close?.());
    const ask = async (message: RequestView, caller: Identity | 'nobody' = ANN) => {
      const exchange = exchangeWith(caller === 'nobody' ? undefined : caller, message);
      return (await instance.onMessage?.(message, exchange)) ?? undefined;
    };
    return { instance, ask, asked, paths, folder, most: () => maxAtOnce };
  }

  it('sends principal, operation and resource, and more only if configured', async () => {
    const plain = await open(allow);
    await plain.ask(call('safe', { city: 'Rome' }));
    expect(plain.paths).to.deep.equal(['/base/decision']);
    expect(plain.asked).to.deep.equal([
      {
        principal: { sub: 'ann', groups: ['analysts'] },
        operation: 'mcp:tool:call',
        resource: 'mrn:mcp:io.example/test-server:tool:safe',
        context: {},
      },
    ]);
    const full = await open(allow, {
      claim_mapping: 'mpe',
      context: { include_args: true, include_operation: true },
    });
    await full.ask(call('safe', { city: 'Rome', list: [1.5, { a: null }] }));
    expect(full.asked).to.deep.equal([
      {
        principal: { sub: 'ann', mgroups: ['analysts'], mannotations: {} },
        operation: 'mcp:tool:call',
        resource: 'mrn:mcp:io.example/test-server:tool:safe',
        context: {
          mcp: {
            feature: 'tool',
            operation: 'call',
            resource_id: 'safe',
            args: { city: 'Rome', list: [1.5, { a: null }] },
          },
        },
      },
    ]);
  });

  const OPERATIONS: readonly (readonly [method: string, params: object, operation: string, id: string])[] = [
    ['tools/call', { name: 'a' }, 'mcp:tool:call', 'tool:a'],
    ['prompts/get', { name: 'a' }, 'mcp:prompt:get', 'prompt:a'],
    ['resources/read', { uri: 'file:///a' }, 'mcp:resource:read', 'resource:file:///a'],
    ['resources/subscribe', { uri: 'file:///a' }, 'mcp:resource:read', 'resource:file:///a'],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'a' } }, 'mcp:prompt:get', 'prompt:a'],
  ];
  for (const [method, params, operation, id] of OPERATIONS) {
    it(`requests a decision about ${method} as ${operation}`, async () => {
      const { ask, asked } = await open(allow);
      expect(await ask(request(method, { ...params }))).to.equal(undefined);
      expect(asked.map((question) => [question.operation, question.resource])).to.deep.equal([
        [operation, `mrn:mcp:io.example/test-server:${id}`],
      ]);
    });
  }

  it('requests no decision about methods with a fixed result', async () => {
    const { ask, asked } = await open(allow);
    for (const method of ['initialize', 'ping', 'tools/list']) {
      expect(await ask(request(method))).to.equal(undefined);
    }
    for (const method of ['sampling/createMessage', 'tasks/list', 'constructor']) {
      expect(await ask(request(method))).to.have.nested.property('refuse.status', 403);
    }
    expect(await ask(call('safe'), 'nobody')).to.have.nested.property('refuse.status', 403);
    expect(asked).to.deep.equal([]);
  });

  it('passes notifications of list changes without their parameters', async () => {
    const { instance, asked } = await open(allow);
    for (const member of ['tools', 'prompts', 'resources']) {
      const told = notification(`notifications/${member}/list_changed`, {
        [member]: [{ name: 'safe' }],
        more: 1,
      });
      expect(await instance.onResponse?.(told, exchangeWith(ANN, undefined))).to.deep.equal({
        change: [
          { path: ['params', member], json: undefined },
          { path: ['params', 'more'], json: undefined },
        ],
      });
    }
    expect(asked).to.deep.equal([]);
  });

  it('decides about tasks as about the calls that began them, only for their callers', async () => {
    const context = { include_args: true, include_operation: false };
    const { ask, asked, instance } = await open(allow, { list_tasks: true, context });
    const began = call('safe', { city: 'Oslo', days: [1, 2] });
    await instance.onResponse?.(respond({ task: { taskId: 't1' } }), exchangeWith(ANN, began));
    expect(await ask(request('tasks/get', { taskId: 't1' }))).to.equal(undefined);
    const list = request('tasks/list');
    expect(await ask(list)).to.equal(undefined);
    const tasks = { tasks: [{ taskId: 'other' }, { taskId: 't1' }] };
    expect(await instance.onResponse?.(respond(tasks), exchangeWith(ANN, list))).to.deep.equal({
      change: [{ path: ['result', 'tasks', 0], json: undefined }],
    });
    expect(asked.map(({ operation, context: told }) => [operation, told])).to.deep.equal([
      ['mcp:tool:call', { mcp: { args: { city: 'Oslo', days: [1, 2] } } }],
      ['mcp:tool:call', { mcp: { args: { city: 'Oslo', days: [1, 2] } } }],
    ]);
    expect(
      await instance.onResponse?.(respond({ tasks: {} }), exchangeWith(ANN, list)),
    ).to.have.nested.property('refuse.code', -32_603);
  });

  it('returns only an id to a denied caller, by which the reason is found', async () => {
    const { ask, folder } = await open(deny);
    const verdict = await ask(call('safe'));
    const denial: Record<string, unknown> = JSON.parse(
      await readFile(path.join(folder, 'denials.jsonl'), 'utf8'),
    );
    expect(verdict).to.deep.equal({
      refuse: { message: 'Unauthorized', status: 403, code: 403, data: { denialId: denial['id'] } },
    });
    expect(denial).to.include({ caller: 'ann', asked: 'tools/call of tool safe' });
    expect(denial['because']).to.deep.equal(['The decision point denies it.']);
  });

  const UNCLEAR: readonly (readonly [of: string, decide: Decide])[] = [
    ['says nothing', (_asked, response) => void response.end()],
    ['says a text', (_asked, response) => void response.end('{"allow":"true"}')],
    ['says 1', (_asked, response) => void response.end('{"allow":1}')],
    ['says a list', (_asked, response) => void response.end('[{"allow":true}]')],
    ['says true alone', (_asked, response) => void response.end('true')],
    ['says yes with 201', (_asked, response) => void response.writeHead(201).end('{"allow":true}')],
    ['says yes with 403', (_asked, response) => void response.writeHead(403).end('{"allow":true}')],
    ['fails', (_asked, response) => void response.writeHead(500).end('{"allow":true}')],
    [
      'redirects',
      (_asked, response) => void response.writeHead(307, { Location: '/yes' }).end('{"allow":true}'),
    ],
    ['leaves', (_asked, response) => void response.destroy()],
    ['hangs', () => undefined],
    ['says too much', (_asked, response) => void response.end(`{"allow":true,"x":"${'x'.repeat(70_000)}"}`)],
  ];
  for (const [of, decide] of UNCLEAR) {
    it(`denies when the decision point ${of}`, async () => {
      const { ask, instance } = await open(decide, {}, 1);
      expect(await ask(call('safe'))).to.have.nested.property('refuse.status', 403);
      const list = request('tools/list');
      const listed = await instance.onResponse?.(
        respond({ tools: [{ name: 'safe' }] }),
        exchangeWith(ANN, list),
      );
      expect(listed).to.have.nested.property('refuse.code', -32_603);
    });
  }

  it('requests one decision per list item with limited concurrency, and removes denied items', async () => {
    const { instance, asked, most } = await open((question, response) => {
      setImmediate(() => allowSafe(question, response));
    });
    const names = Array.from({ length: 60 }, (_, at) => (at % 3 === 0 ? `other-${at}` : `safe-${at}`));
    const tools = [...names, 'safe-1'].map((name) => ({ name }));
    const verdict = await instance.onResponse?.(respond({ tools }), exchangeWith(ANN, request('tools/list')));
    const hidden = tools.flatMap(({ name }, at) => (name.startsWith('other') ? [at] : []));
    expect(verdict).to.deep.equal({
      change: hidden.map((at) => ({ path: ['result', 'tools', at], json: undefined })),
    });
    expect(asked).to.have.length(60);
    expect(most()).to.be.within(2, 8);
  });

  it('stops a list when one decision fails', async () => {
    const { instance, asked } = await open((_asked, response) => void response.writeHead(503).end());
    const tools = Array.from({ length: 500 }, (_, at) => ({ name: `t${at}` }));
    const verdict = await instance.onResponse?.(respond({ tools }), exchangeWith(ANN, request('tools/list')));
    expect(verdict).to.have.nested.property('refuse.status', 500);
    expect(asked.length).to.be.at.most(8);
  });

  it('denies calls whose arguments cannot be sent exactly', async () => {
    const { ask, asked } = await open(allow, { context: { include_args: true, include_operation: false } });
    for (const args of [{ n: Number.MAX_SAFE_INTEGER + 1 }, { deep: [{ n: 1e300 }] }, { text: '\ud800' }]) {
      expect(await ask(call('safe', args))).to.have.nested.property('refuse.status', 403);
    }
    expect(asked).to.deep.equal([]);
    expect(await ask(call('safe', { n: Number.MAX_SAFE_INTEGER }))).to.equal(undefined);
  });

  it('decides which resources a client may subscribe to', async () => {
    const { ask } = await open(
      ({ resource }, response) =>
        void response.end(JSON.stringify({ allow: resource.endsWith('file:///a') })),
    );
    const notifications = { resourceSubscriptions: ['file:///a', 'file:///b'], toolsListChanged: true };
    expect(await ask(request('subscriptions/listen', { notifications }))).to.deep.equal({
      change: [{ path: ['params', 'notifications', 'resourceSubscriptions', 1], json: undefined }],
    });
  });

  it('denies a call above 1 MiB without a request', async () => {
    const { ask, asked, folder } = await open(allow, {
      context: { include_args: true, include_operation: false },
    });
    const long = 'x'.repeat(1024 * 1024);
    for (const message of [
      call(long),
      call('safe', { text: long }),
      request('resources/read', { uri: long }),
    ])
      expect(await ask(message)).to.have.nested.property('refuse.status', 403);
    expect(asked).to.deep.equal([]);
    const kept = await readFile(path.join(folder, 'denials.jsonl'), 'utf8');
    expect(kept).to.match(/There is no decision: the question has 1048\d{3} characters, more than 1048576\./);
  });

  it('sends long lists of arguments', async () => {
    const { ask, asked } = await open(allow, { context: { include_args: true, include_operation: false } });
    const list = Array.from({ length: 400_000 }, () => 1);
    expect(await ask(call('safe', { list }))).to.equal(undefined);
    expect(asked).to.have.length(1);
    list.push(Number.MAX_SAFE_INTEGER + 1);
    expect(await ask(call('safe', { list }))).to.have.nested.property('refuse.status', 403);
  });

  it('sends no request for a subscription to more than 500 resources', async () => {
    const { ask, asked } = await open(allow);
    const resourceSubscriptions = Array.from({ length: 501 }, (_, at) => `file:///${at}`);
    const listen = request('subscriptions/listen', { notifications: { resourceSubscriptions } });
    expect(await ask(listen)).to.have.nested.property('refuse.code', -32_602);
    expect(asked).to.deep.equal([]);
  });

  it('truncates long names in the record of a denial', async () => {
    const { ask, folder } = await open((_question, response) => response.end('{"allow":false}'));
    const long = 'x'.repeat(100_000);
    const caller = { ...ANN, subject: long };
    const verdict = await ask(call(long), caller);
    expect(verdict).to.have.property('refuse');
    const kept = await readFile(path.join(folder, 'denials.jsonl'), 'utf8');
    expect(kept.length).to.be.below(2000);
  });
});

describe('principal for a decision point', () => {
  const CLAIMS = {
    sub: 's',
    roles: ['r'],
    mroles: ['m'],
    scope: 'a b',
    clearance: 'top',
    email: 'e',
    tsid: 't',
  };
  it('contains the members of its mapping, and nothing else of the token', () => {
    expect(callerFields(CLAIMS, 'standard')).to.deep.equal({ sub: 's', roles: ['r'], scopes: 'a b' });
    expect(callerFields(CLAIMS, 'mpe')).to.deep.equal({
      sub: 's',
      mroles: ['m'],
      scopes: 'a b',
      mclearance: 'top',
      mannotations: {},
    });
  });
});

describe('checkDecisionPoint', () => {
  const WRONG: readonly (readonly [http: Partial<Settings['http']>, place: string])[] = [
    [{ url: 'pdp.example' }, 'pdp.http.url'],
    [{ url: 'ftp://pdp.example' }, 'pdp.http.url'],
    [{ url: 'http://pdp.example' }, 'pdp.http.url'],
    [{ url: 'http://127.0.0.1.example' }, 'pdp.http.url'],
    [{ url: 'http://192.0.2.1' }, 'pdp.http.url'],
    [{ url: 'https://me:hunter2@pdp.example' }, 'pdp.http.url'],
    [{ url: 'https://pdp.example/?probe=true' }, 'pdp.http.url'],
    [{ insecure_skip_verify: true }, 'pdp.http.insecure_skip_verify'],
  ];
  for (const [http, place] of WRONG) {
    it(`reports a problem at ${place}: ${JSON.stringify(http)}`, () => {
      const config = configOf('https://pdp.example');
      const problems = checkDecisionPoint({
        ...config,
        pdp: { ...config.pdp, http: { ...config.pdp.http, ...http } },
      });
      expect(problems.map((problem) => problem.place)).to.deep.equal([place]);
      expect(JSON.stringify(problems)).not.to.include('hunter2');
    });
  }

  for (const url of [
    'http://localhost:9000',
    'http://127.1.2.3',
    'http://[::1]:80/base/',
    'https://pdp.example',
  ]) {
    it(`accepts ${url}`, () => {
      expect(checkDecisionPoint(configOf(url))).to.deep.equal([]);
    });
  }
});
