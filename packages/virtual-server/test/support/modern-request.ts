import { MessageStream } from './message-stream.ts';

const REVISION = '2026-07-28';

export interface ModernResponse {
  readonly status: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

type Params = Readonly<Record<string, unknown>>;

/** Parts of a request besides its method and parameters. */
export interface ModernExtras {
  readonly id?: number | string;
  readonly capabilities?: object;
  /** Further members of `_meta`. */
  readonly meta?: Params;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends one request without a handshake, and returns its response. */
export async function modernRequest(
  url: URL,
  method: string,
  params: Params = {},
  capabilities: object = {},
): Promise<ModernResponse> {
  return await readModern(await postModern(url, method, params, { capabilities }));
}

/** Reads the response of a request without a handshake. */
export async function readModern(response: Response): Promise<ModernResponse> {
  const text = await response.text();
  const data = [...text.matchAll(/^data: (.+)$/gm)].at(-1)?.[1];
  // SAFETY: a response of another form fails the test that reads it.
  const message = JSON.parse(data ?? text) as Omit<ModernResponse, 'status'>;
  return { status: response.status, ...message };
}

/** Sends a request without a handshake, and returns the messages of its stream as they come. */
export function modernStream(
  url: URL,
  method: string,
  params: Params = {},
  extras: Omit<ModernExtras, 'signal'> = {},
): Promise<MessageStream> {
  return MessageStream.open((signal) => postModern(url, method, params, { ...extras, signal }));
}

export function postModern(
  url: URL,
  method: string,
  params: Params,
  { id = 1, capabilities = {}, meta = {}, headers = {}, signal }: ModernExtras = {},
): Promise<Response> {
  const name = params['name'] ?? params['uri'];
  return fetch(url, {
    method: 'POST',
    ...(signal === undefined ? {} : { signal }),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': REVISION,
      'Mcp-Method': method,
      ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': REVISION,
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': capabilities,
          ...meta,
        },
      },
    }),
  });
}
