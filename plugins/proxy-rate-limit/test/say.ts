import type { ClientExchange, ClientMessage, Identity, ProxyMiddleware } from '@portolan/plugin-api';

/** What middleware says of a message of a client. */
export async function say(
  limit: ProxyMiddleware | undefined,
  text: string,
  caller?: Identity,
): Promise<unknown> {
  const message = parse(text);
  const request = {
    method: 'POST',
    path: '/mcp',
    query: '',
    headers: {},
    remoteAddress: '127.0.0.1',
    receivedAt: new Date(0),
    program: undefined,
    caller,
  };
  const exchange: ClientExchange = {
    request,
    caller,
    era: 'legacy',
    sessionId: undefined,
    isBatch: false,
    message,
  };
  return await limit?.onMessage?.(message, exchange);
}

function parse(text: string): ClientMessage {
  const { id, method, params, result } = JSON.parse(text);
  if (method === undefined) return { kind: 'response', text, id: String(id), result, error: undefined };
  return id === undefined
    ? { kind: 'notification', text, method, params }
    : { kind: 'request', text, id: String(id), method, params };
}
