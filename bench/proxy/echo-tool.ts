/** A JSON-RPC message as these programs read one: they are fast, and check nothing. */
export interface LooseMessage {
  readonly jsonrpc: '2.0';
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly message?: string } };
}

/** The answer of the smallest MCP server, whose one tool gives its message back; undefined where there is none. */
export function answerOf({ id, method, params }: LooseMessage): object | undefined {
  if (id === undefined || method === undefined) return undefined;
  const result = resultOf(method, params);
  if (result === undefined)
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  return { jsonrpc: '2.0', id, result };
}

function resultOf(method: string, params: LooseMessage['params']): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'echo', version: '1.0.0' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
    case 'tools/call':
      return { content: [{ type: 'text', text: params?.arguments?.message ?? '' }] };
    default:
      return undefined;
  }
}
