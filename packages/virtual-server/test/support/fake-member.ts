import { setImmediate as turn } from 'node:timers/promises';
import type { ServerConnection } from '@portolan/plugin-api';
import type { MemberSource } from '../../src/index.ts';
import { MessageQueue } from '../../src/aggregate/message-queue.ts';

export type Members = Readonly<Record<string, unknown>>;

/** A message of a client, as a fake server gets it. */
export interface Received {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Members;
  readonly result?: unknown;
  readonly error?: unknown;
}

export type Respond = (
  message: Received,
  connection: FakeConnection,
) => Members | undefined | Promise<Members | undefined>;

export interface FakeServerOptions {
  readonly era?: 'legacy' | 'modern';
  readonly capabilities?: Members;
  readonly instructions?: string;
  /** Lists and other results by method. A function is called for each request. */
  readonly results?: Readonly<Record<string, Members | (() => Members)>>;
  /** Called for other requests. Returns the result, or `{ error }`; undefined for no response. */
  readonly respond?: Respond;
}

const METHOD_NOT_FOUND = { code: -32601, message: 'Method not found' };

/** Connection to a fake server. It records the messages of the client. */
export class FakeConnection implements ServerConnection {
  readonly received = new MessageQueue();
  readonly messages: Received[] = [];
  isClosed = false;
  readonly #options: FakeServerOptions;

  constructor(options: FakeServerOptions) {
    this.#options = options;
  }

  async send(text: string): Promise<void> {
    // SAFETY: a message of another form fails the test that reads it.
    const message = JSON.parse(text) as Received;
    this.messages.push(message);
    if (message.method === undefined || message.id === undefined) {
      await this.#options.respond?.(message, this);
      return;
    }
    const result = await this.#resultOf(message);
    if (result === undefined) return;
    if ('error' in result) this.say({ id: message.id, error: result['error'] });
    else this.say({ id: message.id, result });
  }

  /** Sends any message to the client. */
  say(message: object): void {
    this.received.push(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  /** Ends as a process that exits. */
  exit(): void {
    this.received.end();
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.received.end();
    return Promise.resolve();
  }

  async #resultOf(message: Received): Promise<Members | undefined> {
    const { method = '', params } = message;
    const { era = 'legacy', capabilities = { tools: { listChanged: true } }, instructions } = this.#options;
    const about = { capabilities, ...(instructions === undefined ? {} : { instructions }) };
    if (method === 'initialize') {
      if (era === 'modern')
        return {
          error: { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } },
        };
      const serverInfo = { name: 'fake', version: '1.0.0' };
      return { protocolVersion: params?.['protocolVersion'], serverInfo, ...about };
    }
    if (method === 'server/discover')
      return era === 'modern'
        ? { supportedVersions: ['2026-07-28'], resultType: 'complete', ...about }
        : { error: METHOD_NOT_FOUND };
    if (method === 'ping') return {};
    const listed = this.#options.results?.[method];
    if (listed !== undefined) {
      await turn();
      return typeof listed === 'function' ? listed() : listed;
    }
    return this.#options.respond === undefined
      ? { error: METHOD_NOT_FOUND }
      : await this.#options.respond(message, this);
  }
}

export interface FakeMember extends MemberSource {
  /** All connections that were opened, oldest first. */
  readonly connections: FakeConnection[];
}

/** A member with a fake server, and what it was sent. */
export function fakeMember(
  name: string,
  server: FakeServerOptions,
  source: Partial<MemberSource> = {},
): FakeMember {
  const connections: FakeConnection[] = [];
  return {
    name,
    settings: {},
    isPerCaller: false,
    connections,
    open: () => {
      const connection = new FakeConnection(server);
      connections.push(connection);
      return Promise.resolve(connection);
    },
    ...source,
  };
}

/** Returns the list of tools with these names. */
export function toolsOf(...names: readonly string[]): Members {
  const tools = names.map((name) => ({ name, description: `Does ${name}`, inputSchema: { type: 'object' } }));
  return { tools };
}

/** Returns the result of a call that says who was called with what. */
export function echo(member: string): Respond {
  return ({ method, params }) =>
    method === 'tools/call'
      ? { content: [{ type: 'text', text: JSON.stringify({ member, ...params, _meta: undefined }) }] }
      : undefined;
}
