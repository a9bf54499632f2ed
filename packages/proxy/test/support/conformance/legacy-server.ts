import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  ErrorCode,
  GetPromptRequestSchema,
  type GetPromptResult,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  type ListToolsResult,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { PROMPTS, readResource, RESOURCES, TEMPLATE, type Tool, TOOLS } from './features.ts';

/** Features of Modern servers that a Legacy server offers to Legacy clients. */
export interface LegacyFeatures {
  readonly tools?: Readonly<Record<string, Tool>>;
  /** Name of a prompt that sends a request to its client. */
  readonly askingPrompt?: string;
}

/**
 * Creates a server of the revisions with a handshake, on the official SDK of that time, with everything that
 * its suite requires.
 */
export function createLegacyServer(features: LegacyFeatures = {}): Server {
  const server = new Server(
    { name: 'conformance-legacy', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
    },
  );
  serveTools(server, { ...TOOLS, ...features.tools });
  servePrompts(server, features.askingPrompt);
  serveResources(server);
  server.setRequestHandler(CompleteRequestSchema, async () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return server;
}

function serveTools(server: Server, all: Readonly<Record<string, Tool>>): void {
  // SAFETY: the table holds valid tools; its types are wider because two SDKs read it.
  const tools = Object.entries(all).map(([name, { description, inputSchema = { type: 'object' } }]) => ({
    name,
    description,
    inputSchema,
  })) as ListToolsResult['tools'];
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const { name, arguments: args = {} } = params;
    const tool = Object.hasOwn(all, name) ? all[name] : undefined;
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Tool ${name} not found`);
    const { _meta: meta } = extra;
    try {
      const content = await tool.run({
        args,
        progressToken: meta?.progressToken,
        notify: (method, report) => extra.sendNotification({ method, params: report }),
        ask: (method, request) =>
          method === 'roots/list'
            ? extra.sendRequest({ method }, ListRootsResultSchema)
            : extra.sendRequest(
                { method, params: request },
                method === 'elicitation/create' ? ElicitResultSchema : CreateMessageResultSchema,
              ),
        declares: (capability) => server.getClientCapabilities()?.[capability] !== undefined,
        closeStream: () => extra.closeSSEStream?.(),
        announce: (list) =>
          list === 'tools' ? server.sendToolListChanged() : server.sendPromptListChanged(),
      });
      return { content } as unknown as CallToolResult; // SAFETY: the blocks are valid content
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      return { content: [{ type: 'text', text: words }], isError: true };
    }
  });
}

const CONTEXT = {
  type: 'object',
  properties: { context: { type: 'string' } },
  required: ['context'],
} as const;

function servePrompts(server: Server, asking: string | undefined): void {
  const prompts = Object.entries(PROMPTS).map(([name, { description, args = [] }]) => ({
    name,
    description,
    arguments: args.map((arg) => ({ name: arg, required: true })),
  }));
  if (asking !== undefined)
    prompts.push({ name: asking, description: 'Asks what it is about', arguments: [] });
  server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }, extra): Promise<GetPromptResult> => {
    if (params.name === asking) {
      const request = { message: 'What context should the prompt use?', requestedSchema: CONTEXT };
      const told = await extra.sendRequest(
        { method: 'elicitation/create', params: request },
        ElicitResultSchema,
      );
      return { messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(told) } }] };
    }
    const prompt = Object.hasOwn(PROMPTS, params.name) ? PROMPTS[params.name] : undefined;
    if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, `Prompt ${params.name} not found`);
    const messages = prompt.messages(params.arguments ?? {}).map((content) => ({ role: 'user', content }));
    return { messages } as unknown as GetPromptResult; // SAFETY: the blocks are valid content
  });
}

function serveResources(server: Server): void {
  const resources = Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType }));
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({ resources }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({
    resourceTemplates: [TEMPLATE],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const resource = readResource(uri);
    if (resource === undefined) throw new McpError(-32002, `Resource not found: ${uri}`, { uri });
    const { mimeType, text, blob = '' } = resource;
    return { contents: [text === undefined ? { uri, mimeType, blob } : { uri, mimeType, text }] };
  });
  server.setRequestHandler(SubscribeRequestSchema, async () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, async () => ({}));
}
