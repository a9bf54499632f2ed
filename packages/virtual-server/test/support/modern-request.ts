const REVISION = '2026-07-28';

interface ModernResponse {
  readonly status: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Sends one request without a handshake, and returns its response. */
export async function modernRequest(
  url: URL,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  capabilities: object = {},
): Promise<ModernResponse> {
  const name = params['name'] ?? params['uri'];
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': REVISION,
      'Mcp-Method': method,
      ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': REVISION,
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': capabilities,
        },
      },
    }),
  });
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1];
  // SAFETY: a response of another form fails the test that reads it.
  const message = JSON.parse(data ?? text) as Omit<ModernResponse, 'status'>;
  return { status: response.status, ...message };
}
