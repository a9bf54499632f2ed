import type { ClientVerdict, MessageChange } from '@portolan/plugin-api';
import { expect } from 'chai';
import { Events, open as openRequest, send } from '../support/http-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

const headersOf = (method: string, name?: string) => ({
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': method,
  ...(name === undefined ? {} : { 'Mcp-Name': name }),
});

describe('policy that narrows a subscription (C18)', () => {
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  async function open(change: readonly MessageChange[]) {
    const servers = new ScriptedServers({
      received: ({ id, method, params }, server) => {
        if (method === 'server/discover') {
          server.say({ id, result: { supportedVersions: ['2026-07-28'], capabilities: {} } });
        } else if (method === 'subscriptions/listen') {
          const { notifications } = params;
          const told = { notifications, _meta: { [SUBSCRIPTION]: id } };
          server.say({ method: ACKNOWLEDGED, params: told });
        } else if (id !== undefined) server.say({ id, result: {} });
      },
    });
    const backend = servers.backend();
    const instance = { onMessage: (): ClientVerdict => ({ change }) };
    const { url } = await proxies.open(backend, {
      middleware: [{ name: 'narrowing', placed: 'authorize', instance }],
    });
    const listen = {
      jsonrpc: '2.0',
      id: 5,
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: ['file:///a', 'file:///b'] }, _meta: META },
    };
    return { url, listen, servers };
  }

  it('sends the server the narrowed subscription, and the client its acknowledgement', async () => {
    const path = ['params', 'notifications', 'resourceSubscriptions', 1];
    const { url, listen } = await open([{ path, json: undefined }]);
    const response = await openRequest(url, {
      method: 'POST',
      headers: headersOf(listen.method),
      body: JSON.stringify(listen),
    });
    const events = new Events(response);
    const { params } = await events.got(({ method }) => method === ACKNOWLEDGED);
    expect(params.notifications).to.deep.equal({ resourceSubscriptions: ['file:///a'] });
    events.leave();
  });

  const wider: readonly (readonly [title: string, change: MessageChange])[] = [
    [
      'adds a resource',
      { path: ['params', 'notifications', 'resourceSubscriptions', 1], json: '"file:///c"' },
    ],
    ['removes the filter', { path: ['params', 'notifications'], json: undefined }],
    ['removes another member', { path: ['params', '_meta'], json: undefined }],
  ];
  for (const [title, change] of wider) {
    it(`causes an error for the client, and no request to the server, when it ${title}`, async () => {
      const { url, listen, servers } = await open([change]);
      const headers = headersOf(listen.method);
      const answer = await send(url, { method: 'POST', headers, body: JSON.stringify(listen) });
      expect([answer.status, answer.json.error.code]).to.deep.equal([200, -32603]);
      const heard = servers.all.flatMap(({ sent }) => sent.map(({ method }) => method));
      expect(heard).not.to.include(listen.method);
    });
  }

  it('may not change a tools/call', async () => {
    const { url, servers } = await open([{ path: ['params', 'notifications', 'x'], json: undefined }]);
    const params = { name: 'a', notifications: { x: 1 }, _meta: META };
    const answer = await send(url, {
      method: 'POST',
      headers: headersOf('tools/call', 'a'),
      body: JSON.stringify({ jsonrpc: '2.0', id: 6, method: 'tools/call', params }),
    });
    expect([answer.status, answer.json.error.code]).to.deep.equal([200, -32603]);
    expect(servers.all.flatMap(({ sent }) => sent.map(({ method }) => method))).not.to.include('tools/call');
  });
});
