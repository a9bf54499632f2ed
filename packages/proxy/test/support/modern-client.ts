import { type Answer, Events, open, send } from './http-client.ts';

/** Keys in `_meta` of Modern requests. */
export const CLAIM = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
export const MODERN = '2026-07-28';

export interface ModernRequest {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Further keys of `_meta`. An undefined value removes a default key. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** A minimal Modern client of streamable HTTP, without a handshake. */
export class ModernClient {
  readonly url: URL;

  constructor(url: URL) {
    this.url = url;
  }

  /** Sends a request. A header with the value undefined is not sent. */
  post(request: ModernRequest, headers: Headers = {}): Promise<Answer> {
    return send(this.url, { method: 'POST', headers: headersOf(request, headers), body: bodyOf(request) });
  }

  /** Sends a request as `post` does, for a response that is a stream. */
  async stream(request: ModernRequest, headers: Headers = {}): Promise<Events> {
    const sent = { method: 'POST', headers: headersOf(request, headers), body: bodyOf(request) };
    return new Events(await open(this.url, sent));
  }
}

/** Returns the body of a Modern request, with protocol version and capabilities in `_meta`. */
export function bodyOf({ id = 1, method, params = {}, meta = {} }: ModernRequest): string {
  const envelope = { [CLAIM]: MODERN, [CAPABILITIES]: {}, ...meta };
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } });
}

function headersOf({ method, params = {} }: ModernRequest, headers: Headers): Record<string, string> {
  const name = params['name'] ?? params['uri'] ?? params['taskId'];
  const all: Headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': MODERN,
    'Mcp-Method': method,
    ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
    ...headers,
  };
  const inputs = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(inputs);
}
