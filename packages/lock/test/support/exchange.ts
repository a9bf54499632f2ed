import type { ClientExchange, ClientMessage, RequestView, ResponseView } from '@portolan/plugin-api';

/** Returns a request as middleware sees it. */
export function requestView(method: string, params?: Readonly<Record<string, unknown>>): RequestView {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return { kind: 'request', text, id: '1', method, params };
}

/** Returns a response as middleware sees it, from the JSON text of its result. */
export function responseView(result: string): ResponseView {
  const text = `{"jsonrpc":"2.0","id":1,"result":${result}}`;
  return { kind: 'response', text, id: '1', result: JSON.parse(result), error: undefined };
}

/** Returns the exchange of a message of a client. */
export function exchangeOf(message: ClientMessage, era: ClientExchange['era'] = 'legacy'): ClientExchange {
  const request = {
    method: 'POST',
    path: '/mcp',
    query: '',
    headers: {},
    remoteAddress: '127.0.0.1',
    receivedAt: new Date(0),
    caller: undefined,
    program: undefined,
  };
  return { request, caller: undefined, era, sessionId: undefined, isBatch: false, message };
}
