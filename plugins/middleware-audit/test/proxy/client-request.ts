import type {
  ClientExchange,
  ClientMessage,
  ClientRequest,
  RequestEnd,
  RequestView,
} from '@portolan/plugin-api';

/** A POST of a client, as the proxy shows it. */
export function clientRequest(given: Partial<ClientRequest> = {}): ClientRequest {
  return {
    method: 'POST',
    path: '/mcp',
    query: '',
    headers: {},
    remoteAddress: '192.0.2.10',
    remotePort: 50_000,
    receivedAt: new Date(0),
    caller: undefined,
    program: undefined,
    ...given,
  };
}

export function requestView(method: string, params?: Record<string, unknown>, id: unknown = 1): RequestView {
  const text = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  return { kind: 'request', text, id: JSON.stringify(id), method, params };
}

export function exchange(request: ClientRequest, message?: ClientMessage): ClientExchange {
  const { caller } = request;
  return { request, caller, era: 'legacy', sessionId: undefined, isBatch: false, message };
}

export function requestEnd(messages: readonly ClientMessage[], given: Partial<RequestEnd> = {}): RequestEnd {
  return {
    status: 200,
    refusedWith: undefined,
    durationMs: 4,
    messages,
    responseBytes: 71,
    refusals: [],
    ...given,
  };
}
