import { isJsonObject } from '@portolan/plugin-api';
import type { MessageSender, OpenConnection, ServerConnection } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { FailedRequest } from '../../src/server/failed-request.ts';
import { MODERN } from './modern-client.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every form
export type Anything = any;

/** A client directly on a connection, without a proxy, like the bridge and the virtual server. */
export class EraClient {
  readonly connection: ServerConnection;
  readonly received: Anything[] = [];
  readonly ended: Promise<void>;
  readonly sender: MessageSender | undefined;
  #last = 0;

  static async open(open: OpenConnection, owner?: string): Promise<EraClient> {
    return new EraClient(await open(new AbortController().signal), owner);
  }

  constructor(connection: ServerConnection, owner?: string) {
    this.connection = connection;
    this.sender = owner === undefined ? undefined : { owner, exchange: undefined };
    this.ended = this.#read();
  }

  /** Sends a request with its own id and resolves with the response. */
  async request(method: string, params: object = {}, id: string | number = this.mint()): Promise<Anything> {
    await this.send({ id, method, params });
    return this.response(id);
  }

  mint(): string {
    this.#last += 1;
    return `c-${this.#last}`;
  }

  response(id: string | number): Promise<Anything> {
    return eventually(() => {
      const response = this.received.find((message) => message.id === id && message.method === undefined);
      if (response === undefined) throw new Error(`no response to ${id}: ${JSON.stringify(this.received)}`);
      return response;
    });
  }

  /** Resolves with the last message of that method. */
  got(method: string): Promise<Anything> {
    return eventually(() => {
      const message = this.received.findLast((received) => received.method === method);
      if (message === undefined) throw new Error(`no ${method}: ${JSON.stringify(this.received)}`);
      return message;
    });
  }

  async send(message: object): Promise<void> {
    await this.connection.send(JSON.stringify({ jsonrpc: '2.0', ...message }), this.sender);
  }

  async greet(capabilities: object = {}, protocolVersion = '2025-11-25'): Promise<Anything> {
    const clientInfo = { name: 'test', version: '1' };
    const response = await this.request('initialize', { protocolVersion, capabilities, clientInfo });
    await this.send({ method: 'notifications/initialized' });
    return response;
  }

  async #read(): Promise<void> {
    for await (const message of this.connection.received) {
      if (typeof message === 'string') this.received.push(JSON.parse(message));
      else if (message instanceof FailedRequest) this.received.push(JSON.parse(message.beginning));
    }
  }
}

/** Returns the parameters of a Modern request. */
export function modernParams(params: object = {}, capabilities: object = {}, meta: object = {}): object {
  const own = isJsonObject(params) && isJsonObject(params['_meta']) ? params['_meta'] : {};
  return {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/clientInfo': { name: 'modern', version: '1' },
      ...own,
      ...meta,
    },
  };
}
