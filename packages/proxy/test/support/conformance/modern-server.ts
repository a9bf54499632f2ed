import {
  type CallToolResult,
  createRequestStateCodec,
  type GetPromptResult,
  type InputRequiredResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { randomBytes } from 'node:crypto';
import { type Call, PROMPTS, readResource, RESOURCES, TEMPLATE, TOOLS } from './features.ts';
import { ASKED, INPUT_PROMPT, INPUT_TOOLS, InputNeeded, MODERN_TOOLS, nextRound } from './modern-features.ts';

/** Codec of request states. One process serves all rounds of a call. */
const states = createRequestStateCodec<string>({ key: randomBytes(32) });

/** Cache hints of all kinds of lists, which the suite checks. */
const HINT = { ttlMs: 60_000, cacheScope: 'public' } as const;

/** Number of announced changes of each list. Descriptions contain it, so that the list differs. */
const announced = { tools: 0, prompts: 0 };

export type Announce = (list: 'tools' | 'prompts') => void | Promise<void>;

/** Creates a Modern server on the official SDK, with everything that its suite requires. */
export function createModernServer(announce?: Announce): Server {
  const server: Server = new Server(
    { name: 'conformance-modern', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
      cacheHints: {
        'tools/list': HINT,
        'prompts/list': HINT,
        'resources/list': HINT,
        'resources/templates/list': HINT,
        'resources/read': HINT,
        'server/discover': HINT,
      },
      requestState: { verify: (state, context) => states.verify(state, context) },
    },
  );
  const send: Announce =
    announce ??
    ((list) => (list === 'tools' ? server.sendToolListChanged() : server.sendPromptListChanged()));
  const tell: Announce = (list) => {
    announced[list] += 1;
    return send(list);
  };
  serveTools(server, tell);
  servePrompts(server);
  serveResources(server);
  server.setRequestHandler('completion/complete', async () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return server;
}

function serveTools(server: Server, announce: Announce): void {
  const all = { ...TOOLS, ...MODERN_TOOLS };
  server.setRequestHandler('tools/list', async () => {
    const described = Object.entries({ ...all, ...INPUT_TOOLS }).map(([name, tool]) => ({
      name,
      description: `${tool.description}${timesOf('tools')}`,
      inputSchema: ('inputSchema' in tool ? tool.inputSchema : undefined) ?? { type: 'object' },
    }));
    // SAFETY: the table holds valid tools; its types are wider because two SDKs read it.
    return { tools: described as ListToolsResult['tools'] };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    const asking = Object.hasOwn(INPUT_TOOLS, name) ? INPUT_TOOLS[name] : undefined;
    if (asking !== undefined) {
      return nextRound(asking, { context, mint: (state) => states.mint(state, context) });
    }
    const tool = Object.hasOwn(all, name) ? all[name] : undefined;
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
    try {
      // SAFETY: the blocks are valid content.
      return { content: await tool.run(callOf(args, context, announce)) } as unknown as CallToolResult;
    } catch (error) {
      if (error instanceof InputNeeded) return error.toResult();
      const words = error instanceof Error ? error.message : String(error);
      return { content: [{ type: 'text', text: words }], isError: true };
    }
  });
}

function timesOf(list: keyof typeof announced): string {
  return announced[list] === 0 ? '' : ` (change ${announced[list]})`;
}

function callOf(args: Call['args'], { mcpReq, http }: ServerContext, announce: Announce): Call {
  const { _meta: meta } = mcpReq;
  return {
    args,
    progressToken: meta?.progressToken,
    notify: async (method, params) => {
      // The log level of this request decides whether the server may log to it.
      if (method === 'notifications/message') await mcpReq.log('info', params['data']);
      else await mcpReq.notify({ method, params });
    },
    ask: async (method, params) => {
      const { [ASKED]: response } = mcpReq.inputResponses ?? {};
      if (response === undefined) throw new InputNeeded(method, params);
      // SAFETY: an input response is an object.
      return response as object;
    },
    declares: () => true,
    closeStream: () => http?.closeSSE?.(),
    announce: async (list) => announce(list),
  };
}

function servePrompts(server: Server): void {
  server.setRequestHandler('prompts/list', async () => {
    const prompts = Object.entries(PROMPTS).map(([name, { description, args = [] }]) => ({
      name,
      description: `${description}${timesOf('prompts')}`,
      arguments: args.map((arg) => ({ name: arg, required: true })),
    }));
    prompts.push({ name: INPUT_PROMPT, description: 'Asks what it is about', arguments: [] });
    return { prompts };
  });
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: args = {} } }, context) => {
    if (name === INPUT_PROMPT) return askForPrompt(context);
    const prompt = Object.hasOwn(PROMPTS, name) ? PROMPTS[name] : undefined;
    if (prompt === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Prompt ${name} not found`);
    }
    const messages = prompt.messages(args).map((content) => ({ role: 'user', content }));
    return { messages } as unknown as GetPromptResult; // SAFETY: the blocks are valid content
  });
}

async function askForPrompt(context: ServerContext): Promise<GetPromptResult | InputRequiredResult> {
  const rounds = [{ user_context: { form: 'context', message: 'What context should the prompt use?' } }];
  const next = await nextRound({ description: '', rounds }, { context, mint: async (state) => state });
  if (!('words' in next)) return next;
  return { messages: [{ role: 'user', content: { type: 'text', text: String(next['words']) } }] };
}

function serveResources(server: Server): void {
  const resources = Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType }));
  server.setRequestHandler('resources/list', async () => ({ resources }));
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [TEMPLATE] }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const resource = readResource(uri);
    if (resource === undefined) throw new ResourceNotFoundError(uri);
    const { mimeType, text, blob = '' } = resource;
    return { contents: [text === undefined ? { uri, mimeType, blob } : { uri, mimeType, text }] };
  });
}
