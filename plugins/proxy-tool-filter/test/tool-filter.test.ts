import { proxyMiddlewareContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { toolFilter } from '../src/index.ts';
import { judgeCall } from '../src/tool-filter.ts';
import { judgeList } from '../src/tool-filter.ts';
import { ToolNames } from '../src/tool-names.ts';

const CONFIG = {
  tools: ['web_get', 'search', '__proto__'],
  override: {
    fetch_url: { name: 'web_get', description: 'Download "one" page' },
    search: { description: 'Intranet' },
  },
};

const call = (name: unknown, id: number | undefined = 1): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: { name: 'fetch_url' } },
  });
const LIST = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}';
const list = (result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 2, result });
const TOOLS = [
  {
    name: 'fetch_url',
    description: 'Fetches',
    inputSchema: { type: 'object', properties: { name: {} } },
    name2: 1,
  },
  { name: 'delete_all', _meta: { a: 1 } },
  { name: 'search' },
  { name: '__proto__' },
];
const REST = {
  resultType: 'complete',
  ttlMs: 1.5,
  nextCursor: 'c',
  _meta: { tools: [{ name: 'delete_all' }] },
};

proxyMiddlewareContract({
  name: 'tool-filter',
  kind: toolFilter,
  blocks: [{ tools: [], override: {} }, CONFIG],
  create: (context) => toolFilter.create(CONFIG, context),
  judged: [
    { from: 'client', text: LIST, becomes: 'passes' },
    { from: 'client', text: call('search'), becomes: 'passes' },
    { from: 'client', text: call('__proto__'), becomes: 'passes' },
    { from: 'client', text: call('web_get'), becomes: { message: JSON.parse(call('fetch_url')) } },
    { from: 'client', text: call('fetch_url'), becomes: 'refused' },
    { from: 'client', text: call('delete_all'), becomes: 'refused' },
    { from: 'client', text: call('delete_all', undefined), becomes: 'refused' },
    {
      from: 'client',
      text: call('web_get', undefined),
      becomes: { message: JSON.parse(call('fetch_url', undefined)) },
    },
    { from: 'client', text: call('Search'), becomes: 'refused' },
    { from: 'client', text: call('search\u0000'), becomes: 'refused' },
    { from: 'client', text: call('ｓearch'), becomes: 'refused' },
    { from: 'client', text: call(7), becomes: 'refused' },
    { from: 'client', text: '{"jsonrpc":"2.0","id":1,"method":"tools/call"}', becomes: 'refused' },
    { from: 'client', text: call('search').replace('tools/call', 'Tools/Call'), becomes: 'refused' },
    { from: 'client', text: call('search').replace('tools/call', ' tools/call'), becomes: 'refused' },
    { from: 'client', text: LIST.replace('list', 'LIST'), becomes: 'refused' },
    { from: 'client', text: '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}', becomes: 'passes' },
    {
      from: 'client',
      text: '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/tool","name":"web_get"}}}',
      becomes: {
        message: {
          jsonrpc: '2.0',
          id: 1,
          method: 'completion/complete',
          params: { ref: { type: 'ref/tool', name: 'fetch_url' } },
        },
      },
    },
    {
      from: 'client',
      text: '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/tool","name":"delete_all"}}}',
      becomes: 'refused',
    },
    {
      from: 'client',
      text: '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"delete_all"}}}',
      becomes: 'passes',
    },
    {
      from: 'server',
      request: LIST,
      text: list({ tools: TOOLS, ...REST }),
      becomes: {
        message: {
          jsonrpc: '2.0',
          id: 2,
          result: {
            tools: [
              { ...TOOLS[0], name: 'web_get', description: 'Download "one" page' },
              { name: 'search', description: 'Intranet' },
              TOOLS[3],
            ],
            ...REST,
          },
        },
      },
    },
    { from: 'server', request: LIST, text: list({ tools: [], ...REST }), becomes: 'passes' },
    { from: 'server', request: LIST, text: list({ ...REST }), becomes: 'refused' },
    { from: 'server', request: LIST, text: list([]), becomes: 'refused' },
    { from: 'server', request: LIST, text: list(null), becomes: 'refused' },
    { from: 'server', request: LIST, text: list({ tools: { 0: TOOLS[0] } }), becomes: 'refused' },
    { from: 'server', request: LIST, text: list({ tools: ['search'] }), becomes: 'refused' },
    // Some clients read names without case.
    {
      from: 'server',
      request: LIST,
      text: list({ tools: [TOOLS[2]], Tools: [{ name: 'hidden' }] }),
      becomes: 'refused',
    },
    { from: 'server', request: LIST, text: list({ tools: [], tool\u017f: [] }), becomes: 'refused' },
    {
      from: 'server',
      request: LIST,
      text: list({ tools: [{ name: 'search', Name: 'hidden' }] }),
      becomes: 'refused',
    },
    {
      from: 'server',
      request: LIST,
      text: list({ tools: [{ Name: 'delete_all', name: 'delete_all' }] }),
      becomes: 'refused',
    },
    { from: 'server', request: LIST, text: list({ tools: [{ name: ['search'] }] }), becomes: 'refused' },
    {
      from: 'server',
      request: LIST,
      text: list({ tools: [TOOLS[2], { name: 'web_get' }] }),
      becomes: 'refused',
    },
    {
      from: 'server',
      request: LIST,
      text: '{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m"}}',
      becomes: 'passes',
    },
    { from: 'server', request: call('search'), text: list({ tools: TOOLS }), becomes: 'passes' },
    {
      from: 'server',
      text: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
      becomes: 'passes',
    },
    {
      from: 'server',
      text: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"tools":[{"name":"delete_all"}],"_meta":{"a":1}}}',
      becomes: {
        message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: { a: 1 } } },
      },
    },
    {
      from: 'server',
      text: '{"jsonrpc":"2.0","method":"Notifications/Tools/list_changed","params":{"tools":[{"name":"delete_all"}]}}',
      becomes: {
        message: { jsonrpc: '2.0', method: 'Notifications/Tools/list_changed', params: {} },
      },
    },
  ],
});

describe('hidden tool', () => {
  it('is refused like an unknown one, with the same response for every client', () => {
    for (const name of ['delete_all', 'no_such_tool']) {
      const message = {
        kind: 'request',
        text: call(name),
        id: '1',
        method: 'tools/call',
        params: { name },
      } as const;
      expect(judgeCall(new ToolNames(CONFIG), message), name).to.deep.equal({
        refuse: { message: 'tool not found', code: -32602 },
      });
    }
  });
});

describe('unreadable list', () => {
  it('responds with status 500 and no item', () => {
    const answer = {
      text: list({ tools: [{}] }),
      kind: 'response',
      id: '2',
      result: { tools: [{}] },
      error: undefined,
    } as const;
    expect(judgeList(new ToolNames(CONFIG), answer)).to.deep.equal({
      refuse: {
        message: 'The list of tools was not forwarded: one of its tools has no name, or two.',
        status: 500,
        code: -32603,
      },
    });
  });
});
