import { MessageStream } from './message-stream.ts';

interface LegacyResponse {
  readonly status: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client with a handshake that sends exactly what a test says. */
export class LegacyClient {
  readonly #url: URL;
  readonly #session: string;
  #last = 0;

  constructor(url: URL, session: string) {
    this.#url = url;
    this.#session = session;
  }

  static async connect(url: URL, capabilities: object = {}, version = '2025-11-25'): Promise<LegacyClient> {
    const response = await new LegacyClient(url, '').post({
      id: 0,
      method: 'initialize',
      params: { protocolVersion: version, capabilities, clientInfo: { name: 'test', version: '1.0.0' } },
    });
    await response.text();
    const client = new LegacyClient(url, response.headers.get('mcp-session-id') ?? '');
    await (await client.post({ method: 'notifications/initialized' })).text();
    return client;
  }

  async request(
    method: string,
    params: object = {},
    headers: Record<string, string> = {},
  ): Promise<LegacyResponse> {
    const id = (this.#last += 1);
    const response = await this.post({ id, method, params }, headers);
    const text = await response.text();
    const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => data);
    const texts = events.length === 0 ? [text] : events;
    // SAFETY: a response of another form fails the test that reads it.
    const messages = texts.map((one) => JSON.parse(one) as LegacyResponse & { readonly id?: number });
    const found = messages.find((message) => message.id === id && !('method' in message));
    if (found === undefined) throw new Error(`no response to ${method}: ${text}`);
    return { ...found, status: response.status };
  }

  post(message: object, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    return this.postText(JSON.stringify({ jsonrpc: '2.0', ...message }), headers, signal);
  }

  /** Sends any text as the body of a message. */
  postText(body: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    return fetch(this.#url, {
      method: 'POST',
      ...(signal === undefined ? {} : { signal }),
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(this.#session === '' ? {} : { 'Mcp-Session-Id': this.#session }),
        ...headers,
      },
      body,
    });
  }

  /** Opens the stream of the session, for messages that belong to no request. */
  listen(): Promise<MessageStream> {
    const headers = { Accept: 'text/event-stream', 'Mcp-Session-Id': this.#session };
    return MessageStream.open((signal) => fetch(this.#url, { headers, signal }));
  }

  /** Sends a request, and returns the messages of its own stream as they come. */
  stream(method: string, params: object = {}): Promise<MessageStream> {
    const id = (this.#last += 1);
    return MessageStream.open((signal) => this.post({ id, method, params }, {}, signal));
  }

  async close(): Promise<void> {
    const headers = { 'Mcp-Session-Id': this.#session };
    await (await fetch(this.#url, { method: 'DELETE', headers })).text();
  }
}
