import {
  findAmbiguity,
  isJsonObject,
  memberOf,
  type JsonRecord,
  parseServerMessage,
  type ResponseMessage,
} from '@portolan/mcp-protocol';
import type { ReceivedMessage, ServerConnection } from '@portolan/plugin-api';

/** Maximum length of the text of an error that a server sent, in a message. */
const MAX_ERROR_LENGTH = 300;

/** Requests, one at a time, over a connection to the workload's own proxy. */
export class DefinitionsSession {
  readonly #connection: ServerConnection;
  readonly #received: AsyncIterator<ReceivedMessage>;
  #lastId = 0;

  constructor(connection: ServerConnection) {
    this.#connection = connection;
    this.#received = connection.received[Symbol.asyncIterator]();
  }

  /**
   * Returns the response to a request, which may be an error. Other messages of the server are dropped. Rejects when
   * the connection ends, and for a response that two programs could read differently.
   */
  async request(method: string, params: JsonRecord): Promise<ResponseMessage> {
    this.#lastId += 1;
    const key = `n${this.#lastId}`;
    await this.#connection.send(JSON.stringify({ jsonrpc: '2.0', id: this.#lastId, method, params }));
    for (;;) {
      const { value: text, done = false } = await this.#received.next();
      if (done || text === undefined) throw new Error(`it disconnected before it responded to ${method}`);
      const message = typeof text === 'string' ? parseServerMessage(text) : text;
      if (typeof message === 'string' || message.kind !== 'response' || message.id.key !== key) continue;
      const fault = findAmbiguity(message.text);
      if (fault !== undefined) throw new Error(`its response to ${method} is ambiguous: ${fault}`);
      return message;
    }
  }

  async notify(method: string): Promise<void> {
    await this.#connection.send(JSON.stringify({ jsonrpc: '2.0', method }));
  }
}

/** Returns the text of an error response, shortened. */
export function errorTextOf({ text }: ResponseMessage): string {
  const error = memberOf(JSON.parse(text), 'error');
  const message = isJsonObject(error) ? memberOf(error, 'message') : undefined;
  return typeof message === 'string' ? message.slice(0, MAX_ERROR_LENGTH) : 'an error without a message';
}
