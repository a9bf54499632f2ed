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

  post(message: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.#url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(this.#session === '' ? {} : { 'Mcp-Session-Id': this.#session }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  }

  async close(): Promise<void> {
    const headers = { 'Mcp-Session-Id': this.#session };
    await (await fetch(this.#url, { method: 'DELETE', headers })).text();
  }
}
