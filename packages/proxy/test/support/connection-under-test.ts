import type { HttpBackend, MessageSender, ServerConnection } from '@portolan/plugin-api';
import { openHttpBackend, type HttpBackendOptions, type OpenHttpBackend } from '@portolan/proxy/http-backend';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';

export interface ReceivedRpc {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
};

/** A connection to an HTTP server that records everything it receives. */
export class ConnectionUnderTest {
  readonly messages: ReceivedRpc[] = [];
  readonly outcomes: string[] = [];
  readonly told: string[] = [];
  /** End of the messages: undefined while they continue, `ended`, or the error. */
  end: unknown;
  readonly #answers = new Map<string, (params: unknown) => object>();
  #connection: ServerConnection | undefined;
  #backend: OpenHttpBackend | undefined;
  #lastId = 0;

  static async open(
    server: Partial<HttpBackend> & { readonly target: URL },
    options: Partial<HttpBackendOptions> = {},
    reads = true,
  ): Promise<ConnectionUnderTest> {
    const connection = new ConnectionUnderTest();
    const backend = await openHttpBackend(
      { carries: 'http', transport: 'streamable-http', isRemote: true, ...server },
      {
        version: '1.0.0',
        settled: (outcome) => {
          connection.outcomes.push(typeof outcome === 'string' ? outcome : outcome.reason);
        },
        tell: (line) => void connection.told.push(line),
        ...options,
        limits: { retryMs: 10, ...options.limits },
      },
    );
    connection.#backend = backend;
    await connection.reopen(reads);
    return connection;
  }

  /** Replaces this connection with a new one of the same backend. */
  async reopen(reads = true): Promise<void> {
    await this.#connection?.close();
    this.#connection = await this.#backend?.backend.openConnection(new AbortController().signal);
    this.end = undefined;
    if (reads) void this.read();
  }

  get connection(): ServerConnection {
    if (this.#connection === undefined) throw new Error('it is not open');
    return this.#connection;
  }

  async read(): Promise<void> {
    const { connection } = this;
    try {
      for await (const text of connection.received) {
        if (typeof text === 'string') await this.#take(text);
      }
      this.end ??= 'ended';
    } catch (error) {
      this.end = error;
    }
  }

  /** Responds to the server's requests of this method. */
  onRequest(method: string, answer: (params: unknown) => object): void {
    this.#answers.set(method, answer);
  }

  async send(message: object, sender?: MessageSender): Promise<void> {
    await this.connection.send(JSON.stringify({ jsonrpc: '2.0', ...message }), sender);
  }

  /** Sends a request, and returns its id without waiting for the response. */
  async begin(method: string, params?: object, sender?: MessageSender): Promise<number> {
    this.#lastId += 1;
    const id = this.#lastId;
    await this.send({ id, method, ...(params === undefined ? {} : { params }) }, sender);
    return id;
  }

  async ask(method: string, params?: object, sender?: MessageSender): Promise<ReceivedRpc> {
    return await this.responseTo(await this.begin(method, params, sender));
  }

  async askModern(method: string, params: object = {}, sender?: MessageSender): Promise<ReceivedRpc> {
    return await this.ask(method, { ...params, _meta: MODERN_META }, sender);
  }

  async responseTo(id: number): Promise<ReceivedRpc> {
    return await eventually(() => {
      const response = this.responsesTo(id)[0];
      if (response === undefined) throw new Error(`no response to ${id}: ${JSON.stringify(this.messages)}`);
      return response;
    });
  }

  responsesTo(id: number): readonly ReceivedRpc[] {
    return this.messages.filter((message) => message.id === id && message.method === undefined);
  }

  async handshake(revision = '2025-06-18'): Promise<ReceivedRpc> {
    const response = await this.ask('initialize', {
      protocolVersion: revision,
      capabilities: { sampling: {}, elicitation: {} },
      clientInfo: { name: 'test', version: '1.0.0' },
    });
    expect(response.error).to.equal(undefined);
    await this.send({ method: 'notifications/initialized' });
    return response;
  }

  async close(): Promise<void> {
    await this.#connection?.close();
    await this.#backend?.close();
  }

  async #take(text: string): Promise<void> {
    // SAFETY: the connection passes on JSON-RPC messages only.
    const message = JSON.parse(text) as ReceivedRpc;
    this.messages.push(message);
    const { id, method, params } = message;
    const answer = method === undefined ? undefined : this.#answers.get(method);
    if (id !== undefined && answer !== undefined) await this.send({ id, result: answer(params) });
  }
}
