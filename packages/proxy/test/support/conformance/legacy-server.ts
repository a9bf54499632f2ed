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
  ListToolsRequestSchema,
  type ListToolsResult,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { PROMPTS, readResource, RESOURCES, TEMPLATE, TOOLS } from './features.ts';

/** A server of the revisions with a handshake, on the official SDK of that time, with all that its suite asks for. */
export function createLegacyServer(): Server {
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
  serveTools(server);
  servePrompts(server);
  serveResources(server);
  server.setRequestHandler(CompleteRequestSchema, async () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return server;
}

function serveTools(server: Server): void {
  // SAFETY: the table holds what the protocol has; its types are wider, since two SDKs read it.
  const tools = Object.entries(TOOLS).map(([name, { description, inputSchema = { type: 'object' } }]) => ({
    name,
    description,
    inputSchema,
  })) as ListToolsResult['tools'];
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const { name, arguments: args = {} } = params;
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Tool ${name} not found`);
    const { _meta: meta } = extra;
    try {
      const content = await tool.run({
        args,
        progressToken: meta?.progressToken,
        notify: (method, report) => extra.sendNotification({ method, params: report }),
        ask: (method, request) =>
          extra.sendRequest(
            { method, params: request },
            method === 'elicitation/create' ? ElicitResultSchema : CreateMessageResultSchema,
          ),
        closeStream: () => extra.closeSSEStream?.(),
        announce: (list) =>
          list === 'tools' ? server.sendToolListChanged() : server.sendPromptListChanged(),
      });
      return { content } as unknown as CallToolResult; // as above: blocks of the protocol
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      return { content: [{ type: 'text', text: words }], isError: true };
    }
  });
}

function servePrompts(server: Server): void {
  const prompts = Object.entries(PROMPTS).map(([name, { description, args = [] }]) => ({
    name,
    description,
    arguments: args.map((arg) => ({ name: arg, required: true })),
  }));
  server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }): Promise<GetPromptResult> => {
    const prompt = Object.hasOwn(PROMPTS, params.name) ? PROMPTS[params.name] : undefined;
    if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, `Prompt ${params.name} not found`);
    const messages = prompt.messages(params.arguments ?? {}).map((content) => ({ role: 'user', content }));
    return { messages } as unknown as GetPromptResult; // SAFETY: blocks of the protocol
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
