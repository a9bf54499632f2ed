import type { ClientExchange, Refusal } from '@portolan/plugin-api';

/** JSON-RPC's codes: parameters that cannot be used, a request that is none, and a fault that is not the client's. */
const INVALID_PARAMS = -32602;
const INVALID_REQUEST = -32600;
const INTERNAL = -32603;

/**
 * There is no such tool for clients; whether the server has one is not told. A
 * failure of the call, not of HTTP, so the status is 200; a client that is told
 * the answer elsewhere, or takes no JSON, would not see that, and gets 400.
 */
export function toolNotFound(exchange: ClientExchange, transport: string): Refusal {
  const seesBody = !isEventTransport(exchange, transport) && takesJson(exchange);
  return { message: 'tool not found', status: seesBody ? 200 : 400, code: INVALID_PARAMS };
}

/** What names no tool cannot be judged by one. */
export function toolUnnamed(): Refusal {
  return { message: 'The call names no tool.', status: 400, code: INVALID_PARAMS };
}

/** Some servers take methods for the same that differ in capitals or blanks; here they would pass by the filter. */
export function methodMisspelt(meant: string): Refusal {
  return {
    message: `The method differs from "${meant}" in spelling only.`,
    status: 400,
    code: INVALID_REQUEST,
  };
}

/** A list that is not understood could hold what nobody is to see. */
export function listUnusable(fault: string): Refusal {
  return { message: `The list of tools was not passed on: ${fault}.`, status: 500, code: INTERNAL };
}

/** HTTP with server-sent events, of the server or of a bridge: its messages are posted to this path. */
function isEventTransport({ request }: ClientExchange, transport: string): boolean {
  return transport === 'sse' || (transport === 'stdio' && request.path === '/messages');
}

function takesJson({ request }: ClientExchange): boolean {
  const accept = String(request.headers['accept'] ?? '').toLowerCase();
  return accept.trim() === '' || /(?:^|[,\s])(?:application\/(?:json|\*)|\*\/\*)(?![\w.+-])/.test(accept);
}
