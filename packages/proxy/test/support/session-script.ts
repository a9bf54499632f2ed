interface Incoming {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly protocolVersion?: string;
    readonly clientInfo?: { readonly name?: string };
    readonly _meta?: { readonly progressToken?: unknown };
  };
}

interface Server {
  say(message: object): void;
  exit(): void;
}

/** Responds to a message, or ends the session in the way that the tool's name says. */
export function answerSession({ id, method, params = {} }: Incoming, server: Server): void {
  if (method === 'initialize') {
    const { protocolVersion, clientInfo } = params;
    const serverInfo = { name: 's', version: '1' };
    if (clientInfo?.name === 'refused') server.say({ id, error: { code: -32602, message: 'no' } });
    else if (clientInfo?.name !== 'unanswered')
      server.say({ id, result: { protocolVersion, capabilities: {}, serverInfo } });
    return;
  }
  if (method === 'resources/subscribe') server.say({ id, result: {} });
  if (method !== 'tools/call') return;
  if (params.name === 'echo') server.say({ id, result: {} });
  if (params.name === 'exit') server.exit();
  if (params.name === 'ask') server.say({ id: 'q', method: 'sampling/createMessage', params: {} });
  if (params.name !== 'progress') return;
  const progressToken = params['_meta']?.progressToken;
  server.say({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
  server.say({ method: 'notifications/tools/list_changed' });
}
