import { type Answer, Events, open, send } from './http-client.ts';

const BOTH = 'application/json, text/event-stream';

export interface PostOptions {
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** A minimal client of streamable HTTP that sends only what the test requests. */
export class McpClient {
  readonly url: URL;
  readonly session: string;

  constructor(url: URL, session = '') {
    this.url = url;
    this.session = session;
  }

  /** Opens a session. */
  static async connect(
    url: URL,
    { version = '2025-06-18', capabilities = {} }: { version?: string; capabilities?: object } = {},
  ): Promise<McpClient> {
    const response = await new McpClient(url).post(initialize(version, capabilities));
    const client = new McpClient(url, String(response.headers['mcp-session-id'] ?? ''));
    await client.post({ method: 'notifications/initialized' });
    return client;
  }

  post(message: object | string, options: PostOptions = {}): Promise<Answer> {
    return send(this.url, { method: 'POST', headers: this.headers(options), body: toBody(message) });
  }

  /** Sends a message as `post` does, for a response that is a stream. */
  async stream(message: object | string, options: PostOptions = {}): Promise<Events> {
    const response = await open(this.url, {
      method: 'POST',
      headers: this.headers(options),
      body: toBody(message),
    });
    return new Events(response);
  }

  async listen(headers: Readonly<Record<string, string>> = {}): Promise<Events> {
    const response = await open(this.url, {
      headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': this.session, ...headers },
    });
    return new Events(response);
  }

  end(): Promise<Answer> {
    return send(this.url, { method: 'DELETE', headers: { 'Mcp-Session-Id': this.session } });
  }

  headers({ accept = BOTH, headers = {} }: PostOptions = {}): Record<string, string | string[]> {
    return {
      'Content-Type': 'application/json',
      Accept: accept,
      ...(this.session === '' ? {} : { 'Mcp-Session-Id': this.session }),
      ...headers,
    };
  }
}

/** Returns an `initialize` request. */
export function initialize(version = '2025-06-18', capabilities: object = {}): object {
  return {
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: version, capabilities, clientInfo: { name: 'test', version: '1' } },
  };
}

function toBody(message: object | string): string {
  if (typeof message === 'string') return message;
  return JSON.stringify(Array.isArray(message) ? message : { jsonrpc: '2.0', ...message });
}
