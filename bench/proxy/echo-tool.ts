/** JSON-RPC message without validation, for speed. */
export interface LooseMessage {
  readonly jsonrpc: '2.0';
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly message?: string } };
}

const ONE_TOOL = [{ name: 'echo', inputSchema: { type: 'object' } }];

/** Returns `count` tools with typical descriptions. */
export function toolsOf(count: number): readonly object[] {
  return Array.from({ length: count }, (_none, at) => ({
    name: at === 0 ? 'echo' : `tool-${at}`,
    title: `Tool ${at}`,
    description: `Looks something up in part ${at} of a system, and says what it has found there.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to look for.', maxLength: 200 },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: at % 2 === 0, openWorldHint: false },
  }));
}

/**
 * Returns the response of a minimal MCP server with one echo tool; undefined for a message without a
 * response.
 */
export function answerOf(
  { id, method, params }: LooseMessage,
  tools: readonly object[] = ONE_TOOL,
): object | undefined {
  if (id === undefined || method === undefined) return undefined;
  const result = method === 'tools/list' ? { tools } : resultOf(method, params);
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
    case 'tools/call':
      return { content: [{ type: 'text', text: params?.arguments?.message ?? '' }] };
    default:
      return undefined;
  }
}
