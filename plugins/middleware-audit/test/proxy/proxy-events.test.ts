import type { ClientMessage } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  FILTERED_EVENTS,
  PROXY_EVENTS,
  proxyEventOf,
  selectProxyEvents,
} from '../../src/proxy/proxy-events.ts';
import { clientRequest, requestView } from './client-request.ts';

const ACCEPTS_STREAM = { headers: { accept: 'text/event-stream' } };
const notification = (method: string): ClientMessage => ({
  kind: 'notification',
  text: '{}',
  method,
  params: undefined,
});
const RESPONSE: ClientMessage = { kind: 'response', text: '{}', id: '1', result: {}, error: undefined };

describe('event types of calls', () => {
  const table: readonly (readonly [type: keyof typeof PROXY_EVENTS, message: ClientMessage])[] = [
    ['mcp_initialize', requestView('initialize')],
    ['mcp_tool_call', requestView('tools/call')],
    ['mcp_tools_list', requestView('tools/list')],
    ['mcp_resource_read', requestView('resources/read')],
    ['mcp_resources_list', requestView('resources/list')],
    ['mcp_prompt_get', requestView('prompts/get')],
    ['mcp_prompts_list', requestView('prompts/list')],
    ['mcp_notification', notification('notifications/message')],
    ['mcp_ping', requestView('ping')],
    ['mcp_logging', requestView('logging/setLevel')],
    ['mcp_completion', requestView('completion/complete')],
    ['mcp_roots_list_changed', notification('notifications/roots/list_changed')],
    ['mcp_request', requestView('server/discover')],
    ['mcp_request', requestView('subscriptions/listen')],
    ['mcp_request', requestView('tasks/get')],
    ['mcp_request', requestView('resources/templates/list')],
    ['mcp_request', notification('notifications/initialized')],
    ['mcp_request', requestView('constructor')],
    ['http_request', RESPONSE],
  ];
  for (const [type, message] of table) {
    const called = message.kind === 'response' ? 'an answer' : message.method;
    it(`${called} has the type ${type}`, () => expect(proxyEventOf(clientRequest(), message)).to.equal(type));
  }

  it('requests without a message have a type for their kind', () => {
    const of = (given: Parameters<typeof clientRequest>[0]) => proxyEventOf(clientRequest(given), undefined);
    expect(of({ method: 'GET', ...ACCEPTS_STREAM })).to.equal('sse_connection');
    expect(of({ method: 'GET' })).to.equal('http_request');
    expect(of({ method: 'DELETE' })).to.equal('http_request');
    expect(of({ method: 'POST', ...ACCEPTS_STREAM })).to.equal('http_request');
    expect(of({ method: 'POST', path: '/messages', query: 'session_id=a' })).to.equal('mcp_request');
    expect(of({ method: 'POST', path: '/sse', query: 'sessionId=a' })).to.equal('mcp_request');
  });

  it('all types occur, and filters accept each', () => {
    const reached = new Set([...table.map(([type]) => type), 'sse_connection']);
    expect([...reached].toSorted()).to.deep.equal(Object.keys(PROXY_EVENTS).toSorted());
    expect(FILTERED_EVENTS).to.include.members([
      ...reached,
      'vmcp_workflow_started',
      'vmcp_workflow_step_skipped',
    ]);
    expect(FILTERED_EVENTS).to.have.length(26);
  });

  it('filters select included types without excluded ones; the type for lost lines is always written', () => {
    const types = fc.subarray([...FILTERED_EVENTS]);
    fc.assert(
      fc.property(
        types,
        types,
        fc.constantFrom(...FILTERED_EVENTS),
        (eventTypes, excludeEventTypes, type) => {
          const isSelected = selectProxyEvents({ eventTypes, excludeEventTypes });
          const isNamed = eventTypes.length === 0 || eventTypes.includes(type);
          expect(isSelected(type as keyof typeof PROXY_EVENTS)).to.equal(
            isNamed && !excludeEventTypes.includes(type),
          );
          expect(isSelected('audit.lost')).to.equal(true);
        },
      ),
    );
  });
});
