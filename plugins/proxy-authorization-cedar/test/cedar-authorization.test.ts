import { proxyMiddlewareContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { cedarAuthorization } from '../src/index.ts';
import { ANN, respond, Authorizer, call, configOf, exchangeWith, request } from './support.ts';

const CONFIG = configOf([
  'permit(principal, action == Action::"call_tool", resource == Tool::"forecast");',
  'permit(principal in THVGroup::"analysts", action == Action::"read_resource", resource);',
  'permit(principal, action == Action::"get_prompt", resource == Prompt::"greet");',
  'forbid(principal, action, resource) when { resource has destructiveHint && resource.destructiveHint };',
]);
const textOf = (method: string, params: unknown, id = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const LISTEN = textOf('subscriptions/listen', {
  notifications: { toolsListChanged: true, resourceSubscriptions: ['file:///a'], taskIds: ['t'] },
});

proxyMiddlewareContract({
  name: 'cedar',
  kind: cedarAuthorization,
  blocks: [CONFIG],
  create: (context) => cedarAuthorization.create(CONFIG, context),
  judged: [
    { from: 'client', text: textOf('initialize', {}), becomes: 'passes' },
    { from: 'client', text: textOf('tools/call', { name: 'forecast' }), caller: ANN, becomes: 'passes' },
    { from: 'client', text: textOf('tools/call', { name: 'forecast' }), becomes: 'refused' },
    { from: 'client', text: textOf('tools/call', { name: 'refund' }), caller: ANN, becomes: 'refused' },
    {
      from: 'client',
      text: LISTEN,
      caller: ANN,
      becomes: {
        message: JSON.parse(LISTEN.replace('"t"', '')),
      },
    },
    {
      from: 'server',
      text: '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"refund"},{"name":"forecast","x":1}],"nextCursor":"n"}}',
      request: textOf('tools/list', {}),
      caller: ANN,
      becomes: {
        message: {
          jsonrpc: '2.0',
          id: 1,
          result: { tools: [{ name: 'forecast', x: 1 }], nextCursor: 'n' },
        },
      },
    },
    {
      from: 'server',
      text: '{"jsonrpc":"2.0","id":1,"result":{"tools":"none"}}',
      request: textOf('tools/list', {}),
      caller: ANN,
      becomes: 'refused',
    },
  ],
});

describe('CedarAuthorizer', () => {
  let authorizer: Authorizer;
  afterEach(() => authorizer.close());

  const open = async (config = CONFIG): Promise<Authorizer> => (authorizer = await Authorizer.open(config));

  const everything = configOf(['permit(principal, action, resource);']);
  const nothing = configOf(['forbid(principal, action, resource);']);
  /** mcp-protocol-eras.md 4.5: what a method is judged as, whatever policies say. */
  const methods: readonly (readonly [
    method: string,
    params: object,
    treated: 'allowed' | 'decided' | 'denied',
  ])[] = [
    ['initialize', {}, 'allowed'],
    ['server/discover', {}, 'allowed'],
    ['ping', {}, 'allowed'],
    ['logging/setLevel', { level: 'info' }, 'allowed'],
    ['tools/list', {}, 'allowed'],
    ['prompts/list', {}, 'allowed'],
    ['resources/list', {}, 'allowed'],
    ['resources/templates/list', {}, 'allowed'],
    ['tools/call', { name: 'a' }, 'decided'],
    ['prompts/get', { name: 'a' }, 'decided'],
    ['resources/read', { uri: 'a' }, 'decided'],
    ['resources/subscribe', { uri: 'a' }, 'decided'],
    ['resources/unsubscribe', { uri: 'a' }, 'decided'],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'a' } }, 'decided'],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'a' } }, 'decided'],
    ['completion/complete', { ref: { type: 'ref/other', uri: 'a' } }, 'denied'],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'a', Name: 'b' } }, 'denied'],
    ['completion/complete', {}, 'denied'],
    ['tools/call', {}, 'denied'],
    ['tools/call', { name: 'a\u{D800}' }, 'denied'],
    ['tools/call', { name: 'a', arguments: { x: '\u{DC00}' } }, 'denied'],
    ['resources/read', { uri: 7 }, 'denied'],
    ['tasks/get', { taskId: 'nobody-saw-it' }, 'denied'],
    ['tasks/result', { taskId: 'nobody-saw-it' }, 'denied'],
    ['tasks/update', {}, 'denied'],
    ['tasks/cancel', { taskId: 7 }, 'denied'],
    ['tasks/list', {}, 'denied'],
    ['features/list', {}, 'denied'],
    ['roots/list', {}, 'denied'],
    ['sampling/createMessage', {}, 'denied'],
    ['elicitation/create', {}, 'denied'],
    ['Tools/Call', { name: 'a' }, 'denied'],
    ['constructor', {}, 'denied'],
    ['nobody/knows', {}, 'denied'],
  ];
  for (const [method, params, treated] of methods) {
    it(`${method} ${JSON.stringify(params)} is ${treated}`, async () => {
      await open(everything);
      expect(await authorizer.allows(request(method, { ...params }))).to.equal(treated !== 'denied');
      await authorizer.close();
      await open(nothing);
      expect(await authorizer.allows(request(method, { ...params }))).to.equal(treated === 'allowed');
    });
  }

  const told = [
    ['notifications/cancelled', true],
    ['notifications/nobody-knows', true],
    ['tools/call', false],
    ['subscriptions/listen', false],
    ['nobody/knows', false],
    ['ping', true],
  ] as const;
  for (const [method, isAllowed] of told) {
    it(`${method} as a notification is ${isAllowed ? 'allowed' : 'denied, because some servers run it'}`, async () => {
      await open(nothing);
      const params = { name: 'forecast' };
      const message = { kind: 'notification', text: '', method, params } as const;
      const verdict = await authorizer.instance.onMessage?.(message, exchangeWith(ANN, undefined));
      expect(verdict === undefined).to.equal(isAllowed);
    });
  }

  for (const method of [
    'nobody/knows',
    'tasks/list',
    'sampling/createMessage',
    'Tools/Call',
    'resources/subscribe',
  ]) {
    it(`${method} is an unknown method for clients without handshake, and stays denied`, async () => {
      await open(everything);
      const asked = request(method, {});
      const verdict = await authorizer.instance.onMessage?.(asked, exchangeWith(ANN, asked, 'modern'));
      const [denial] = await authorizer.denials();
      expect(verdict).to.deep.equal({
        refuse: { message: 'Method not found', status: 404, code: -32_601, data: { denialId: denial?.id } },
      });
    });
  }

  it('allows responses of clients, even without a permit', async () => {
    await open(nothing);
    for (const one of [respond({}), respond({ action: 'accept' })]) {
      expect(await authorizer.instance.onMessage?.(one, exchangeWith(ANN, undefined))).to.equal(undefined);
    }
  });

  it('denies anonymous callers, and returns only an id', async () => {
    await open(everything);
    const verdict = await authorizer.ask(call('forecast'), undefined);
    const [denial] = await authorizer.denials();
    expect(verdict).to.deep.equal({
      refuse: { message: 'Unauthorized', status: 403, code: 403, data: { denialId: denial?.id } },
    });
    expect(denial?.because).to.deep.equal(['The caller is not authenticated.']);
  });

  describe('lists', () => {
    const TOOLS = [
      { name: 'refund', inputSchema: { $defs: {} } },
      { name: 'forecast', unknown: 1 },
      { name: 'wipe' },
    ];
    const lists: readonly (readonly [
      method: string,
      member: string,
      items: readonly object[],
      hidden: readonly object[],
    ])[] = [
      ['tools/list', 'tools', TOOLS, [{ name: 'refund', inputSchema: { $defs: {} } }, { name: 'wipe' }]],
      ['prompts/list', 'prompts', [{ name: 'greet' }, { name: 'other' }], [{ name: 'other' }]],
      ['resources/list', 'resources', [{ uri: 'file:///a' }], []],
      ['resources/templates/list', 'resourceTemplates', [{ uriTemplate: 'file:///{a}' }], []],
    ];
    for (const [method, member, items, hidden] of lists) {
      it(`removes from ${method} what the caller may not use`, async () => {
        await open();
        expect(await authorizer.hides(method, member, items, ANN)).to.deep.equal(hidden);
        const stranger = { subject: 'bob', claims: { sub: 'bob' } };
        const seen = await authorizer.hides(method, member, items, stranger);
        expect(seen).to.deep.equal(method.startsWith('resources') ? items : hidden);
        expect(await authorizer.hides(method, member, [])).to.deep.equal([]);
      });
    }

    it('filters a list for each caller, and uses the annotations of the newest list, also when the list object is a cached one', async () => {
      const policies = [
        'permit(principal == Client::"ann", action, resource) when { resource has readOnlyHint && resource.readOnlyHint };',
      ];
      await open(configOf(policies));
      const bob = { subject: 'bob', claims: { sub: 'bob' } };
      const shown = (isReadOnly: boolean) =>
        freezeAll({ tools: [{ name: 'a', annotations: { readOnlyHint: isReadOnly } }] });
      const [safe, unsafe] = [shown(true), shown(false)];
      const hidden = { change: [{ path: ['result', 'tools', 0], json: undefined }] };
      for (const round of [1, 2]) {
        const asked = request('tools/list');
        for (const again of [1, 2]) {
          expect(await authorizer.answered(asked, safe, ANN), `${round}.${again}`).to.equal(undefined);
          expect(await authorizer.answered(asked, safe, bob)).to.deep.equal(hidden);
          expect(await authorizer.allows(call('a'))).to.equal(true);
        }
        expect(await authorizer.answered(asked, unsafe, ANN)).to.deep.equal(hidden);
        expect(await authorizer.allows(call('a'))).to.equal(false);
      }
    });

    it('refuses a list above the maximum of tools each time', async () => {
      await open(everything);
      const tools = Array.from({ length: 10_001 }, (_none, at) => ({ name: `t${at}` }));
      const result = freezeAll({ tools });
      for (const time of ['once', 'twice']) {
        expect(await authorizer.answered(request('tools/list'), result), time).to.have.property('refuse');
      }
    });

    it('returns no items to an anonymous caller', async () => {
      await open(everything);
      const verdict = await authorizer.instance.onResponse?.(
        respond({ tools: TOOLS }),
        exchangeWith(undefined, request('tools/list')),
      );
      expect(verdict).to.have.nested.property('change.length', 3);
    });

    const broken = [
      null,
      {},
      [],
      { tools: {} },
      { tools: [{ name: 'forecast' }, null] },
      { tools: [{ title: 'forecast' }] },
      { tools: [{ name: 7 }] },
      { tools: [], Tools: [{ name: 'refund' }] },
      { TOOLS: [{ name: 'refund' }] },
      { tools: [], tool\u017f: [{ name: 'refund' }] },
      { tools: [{ name: 'forecast', Name: 'refund' }] },
    ];
    for (const result of broken) {
      it(`refuses the unreadable list ${JSON.stringify(result)}`, async () => {
        await open(everything);
        expect(await authorizer.answered(request('tools/list'), result)).to.deep.equal({
          refuse: { message: 'internal error', status: 500, code: -32_603 },
        });
      });
    }

    for (const member of ['tools', 'prompts', 'resources']) {
      it(`reduces notifications/${member}/list_changed to the change of ${member}`, async () => {
        await open(everything);
        expect(await authorizer.notified(`notifications/${member}/list_changed`)).to.equal(undefined);
        const params = { [member]: [{ name: 'refund' }], _meta: { a: 1 } };
        expect(await authorizer.notified(`notifications/${member}/list_changed`, params)).to.deep.equal({
          change: [{ path: ['params', member], json: undefined }],
        });
      });
    }

    it('passes other notifications unchanged', async () => {
      await open(nothing);
      const params = { progressToken: 1, progress: 2 };
      expect(await authorizer.notified('notifications/progress', params)).to.equal(undefined);
    });

    it('passes errors and responses to other methods unchanged', async () => {
      await open(nothing);
      const error = { ...respond(undefined), error: { code: -32_603, message: 'm' } };
      const asked = request('tools/list');
      expect(await authorizer.instance.onResponse?.(error, exchangeWith(ANN, asked))).to.equal(undefined);
      expect(await authorizer.answered(request('ping'), { tools: TOOLS })).to.equal(undefined);
      const own = exchangeWith(ANN, undefined);
      expect(await authorizer.instance.onResponse?.(respond({ tools: TOOLS }), own)).to.equal(undefined);
    });

    const scopes = [
      ['tools/list', { tools: [], ttlMs: 5, cacheScope: 'public' }, 'legacy', true],
      ['tools/list', { tools: [], ttlMs: 5 }, 'legacy', true],
      ['tools/list', { tools: [], cacheScope: 'private' }, 'modern', false],
      ['tools/list', { tools: [] }, 'modern', true],
      ['tools/list', { tools: [] }, 'legacy', false],
      ['resources/read', { contents: [], cacheScope: 'public' }, 'modern', true],
      ['tools/call', { content: [] }, 'modern', false],
    ] as const;
    for (const [method, result, era, isChanged] of scopes) {
      it(`${method} ${JSON.stringify(result)}, ${era}: ${isChanged ? 'marked as private' : 'unchanged'}`, async () => {
        await open(everything);
        const asked = request(method, { name: 'a', uri: 'a' });
        const verdict = await authorizer.answered(asked, result, ANN, era);
        const change = [{ path: ['result', 'cacheScope'], json: '"private"' }];
        expect(verdict).to.deep.equal(isChanged ? { change } : undefined);
      });
    }
  });

  describe('tool annotations', () => {
    const annotated = (name: string, annotations: object) => ({ name, annotations });

    it("uses the server's annotations after the first list", async () => {
      await open(
        configOf([
          'permit(principal, action, resource) when { resource has readOnlyHint && resource.readOnlyHint };',
        ]),
      );
      const lied = request('tools/call', {
        name: 'a',
        annotations: { readOnlyHint: true },
        readOnlyHint: true,
      });
      expect(await authorizer.allows(lied)).to.equal(false);
      expect(
        await authorizer.hides('tools/list', 'tools', [annotated('a', { readOnlyHint: true })]),
      ).to.deep.equal([]);
      expect(await authorizer.allows(call('a'))).to.equal(true);
      // Each list replaces the one before; what is no truth value is no hint.
      await authorizer.hides('tools/list', 'tools', [annotated('a', { readOnlyHint: 'true' })]);
      expect(await authorizer.allows(call('a'))).to.equal(false);
    });

    it('keeps the annotations of one page when a client requests another', async () => {
      await open(
        configOf([
          'permit(principal, action, resource);',
          'forbid(principal, action, resource) when { resource has destructiveHint && resource.destructiveHint };',
        ]),
      );
      const first = request('tools/list');
      const second = request('tools/list', { cursor: '2' });
      await authorizer.answered(first, { tools: [{ name: 'a' }], nextCursor: '2' });
      await authorizer.answered(second, { tools: [annotated('wipe', { destructiveHint: true })] });
      await authorizer.answered(first, { tools: [{ name: 'a' }], nextCursor: '2' });
      expect(await authorizer.allows(call('wipe'))).to.equal(false);
      expect(await authorizer.allows(call('a'))).to.equal(true);
      // The whole list says that it is harmless now.
      await authorizer.answered(first, { tools: [{ name: 'wipe' }] });
      expect(await authorizer.allows(call('wipe'))).to.equal(true);
    });
  });

  describe('tasks', () => {
    const bob = { subject: 'bob', claims: { sub: 'bob', iss: 'https://issuer.example' } };
    const begins = [{ task: { taskId: 't1', status: 'working' } }, { resultType: 'task', taskId: 't1' }];
    for (const result of begins) {
      it(`records the task in ${JSON.stringify(result)} for its caller and tool`, async () => {
        await open(
          configOf([
            'permit(principal, action, resource == Tool::"slow") when { context has arg_n && context.arg_n == decimal("1.0") };',
          ]),
        );
        await authorizer.answered(call('slow', { n: 1 }), result);
        for (const method of ['tasks/get', 'tasks/result', 'tasks/update', 'tasks/cancel']) {
          expect(await authorizer.allows(request(method, { taskId: 't1' })), method).to.equal(true);
          expect(await authorizer.allows(request(method, { taskId: 't1' }), bob), method).to.equal(false);
        }
        // The same id, begun by somebody else or by another call.
        await authorizer.answered(call('slow', { n: 2 }), result);
        expect(await authorizer.allows(request('tasks/get', { taskId: 't1' }))).to.equal(false);
        await authorizer.answered(call('slow', { n: 1 }), result, bob);
        expect(await authorizer.allows(request('tasks/get', { taskId: 't1' }))).to.equal(false);
        expect(await authorizer.allows(request('tasks/get', { taskId: 't1' }), bob)).to.equal(true);
      });
    }
  });

  describe('tasks/list', () => {
    const bob = { subject: 'bob', claims: { sub: 'bob', iss: 'https://issuer.example' } };
    const MAY_SLOW = ['permit(principal, action, resource == Tool::"slow");'];
    const list = request('tasks/list', {});

    it('denies lists by default and without handshake, and allows them with list_tasks', async () => {
      for (const [more, era, isAllowed] of [
        [{}, 'legacy', false],
        [{ list_tasks: false }, 'legacy', false],
        [{ list_tasks: true }, 'legacy', true],
        [{ list_tasks: true }, undefined, true],
        [{ list_tasks: true }, 'modern', false],
      ] as const) {
        await open(configOf(['permit(principal, action, resource);'], more));
        const verdict = await authorizer.instance.onMessage?.(list, exchangeWith(ANN, list, era));
        const expected = era === 'modern' ? 404 : 403;
        if (isAllowed) expect(verdict).to.equal(undefined);
        else expect(verdict).to.have.nested.property('refuse.status', expected);
        await authorizer.close();
      }
      await open(nothing);
    });

    it("keeps only the caller's tasks that began here and that are still allowed", async () => {
      await open(
        configOf([...MAY_SLOW, 'permit(principal, action, resource == Tool::"later");'], {
          list_tasks: true,
        }),
      );
      const begun = (id: string) => ({ task: { taskId: id } });
      await authorizer.answered(call('slow'), begun('mine'));
      await authorizer.answered(call('slow'), begun('theirs'), bob);
      await authorizer.answered(call('other'), begun('of-a-tool-that-is-denied'));
      const tasks = ['of-nobody', 'theirs', 'mine', 'of-a-tool-that-is-denied'].map((taskId) => ({ taskId }));
      expect(await authorizer.hides('tasks/list', 'tasks', tasks)).to.deep.equal([
        { taskId: 'of-nobody' },
        { taskId: 'theirs' },
        { taskId: 'of-a-tool-that-is-denied' },
      ]);
      expect(await authorizer.hides('tasks/list', 'tasks', tasks, bob)).to.have.length(3);
      expect(await authorizer.hides('tasks/list', 'tasks', [{ taskId: 'mine' }, { id: 7 }])).to.have.property(
        'status',
        500,
      );
    });
  });

  it("C18: reduces subscriptions/listen to readable resources and the caller's tasks", async () => {
    await open(
      configOf([
        'permit(principal, action == Action::"read_resource", resource == Resource::"file:///a");',
        'permit(principal, action == Action::"call_tool", resource);',
      ]),
    );
    await authorizer.answered(call('slow'), { task: { taskId: 'mine' } });
    const listen = request('subscriptions/listen', {
      notifications: {
        toolsListChanged: true,
        resourceSubscriptions: ['file:///b', 'file:///a', 7, 'file:///c'],
        taskIds: ['mine', 'theirs'],
        ofAnExtension: ['x'],
        resourcesListChanged: { deep: 1 },
      },
    });
    const verdict = await authorizer.ask(listen, ANN);
    const at = (...path: (string | number)[]) => ({
      path: ['params', 'notifications', ...path],
      json: undefined,
    });
    expect(verdict).to.deep.equal({
      change: [
        at('resourceSubscriptions', 0),
        at('resourceSubscriptions', 2),
        at('resourceSubscriptions', 3),
        at('taskIds', 1),
        at('ofAnExtension'),
        at('resourcesListChanged'),
      ],
    });
    expect(await authorizer.ask(request('subscriptions/listen'), ANN)).to.equal(undefined);
  });
});

/** As the proxy shows a result. */
function freezeAll<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) freezeAll(inner);
  return Object.freeze(value);
}
