import { eventually } from '@portolan/plugin-testing';
import type { MessageBackend, ReceivedMessage, ServerConnection } from '@portolan/plugin-api';

export interface SentMessage {
  readonly text: string;
  readonly id?: unknown;
  readonly method?: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every form
  readonly params?: any;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly result?: any;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly error?: any;
}

export interface Script {
  /** Handles a message. By default, the server responds to `initialize` and holds everything else. */
  received?(message: SentMessage, server: ScriptedServer): void;
  readonly protocolVersion?: string;
  /** Whether the server accepts no messages. */
  readonly isStuck?: boolean;
  /** Promise that the end of the server waits for. */
  readonly mayEnd?: Promise<unknown>;
}

/** A server whose messages the test controls. */
export class ScriptedServer implements ServerConnection {
  readonly sent: SentMessage[] = [];
  readonly received: AsyncIterable<ReceivedMessage>;
  readonly #script: Script;
  readonly #lines: ReceivedMessage[] = [];
  #wake: (() => void) | undefined;
  #hasEnded = false;
  isClosed = false;

  constructor(script: Script = {}) {
    this.#script = script;
    this.received = this.#read();
  }

  async send(text: string): Promise<void> {
    if (this.#script.isStuck === true) await new Promise(() => undefined);
    const message = { text, ...JSON.parse(text) } as SentMessage;
    this.sent.push(message);
    if (this.#script.received !== undefined) this.#script.received(message, this);
    else if (message.method === 'initialize') this.greet(message);
  }

  async close(): Promise<void> {
    await this.#script.mayEnd;
    this.isClosed = true;
    this.exit();
  }

  /** Writes a line unchanged. */
  write(line: ReceivedMessage): void {
    this.#lines.push(line);
    this.#wake?.();
  }

  say(message: object): void {
    this.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  greet({ id, params }: SentMessage): void {
    const protocolVersion = this.#script.protocolVersion ?? params?.protocolVersion;
    this.say({ id, result: { protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' } } });
  }

  exit(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  /** Resolves with the last message of that method as soon as there is one. */
  async got(method: string, params?: (params: SentMessage['params']) => boolean): Promise<SentMessage> {
    return eventually(() => {
      const sentMessage = this.sent.findLast(
        (message) => message.method === method && (params === undefined || params(message.params)),
      );
      if (sentMessage === undefined) throw new Error(`the server has not got ${method}`);
      return sentMessage;
    });
  }

  async *#read(): AsyncGenerator<ReceivedMessage> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) yield line;
      else if (this.#hasEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** Options of the backend that affect how the proxy serves it. */
export type Served = Partial<Pick<MessageBackend, 'mode' | 'sessions'>>;

/** Starts scripted servers for a proxy and lists them in order of their start. */
export class ScriptedServers {
  readonly all: ScriptedServer[] = [];
  readonly #script: Script;

  constructor(script: Script = {}) {
    this.#script = script;
  }

  readonly open = async (): Promise<ServerConnection> => {
    const server = new ScriptedServer(this.#script);
    this.all.push(server);
    return server;
  };

  /** Returns a backend that starts a process for each session by default. */
  backend(served: Served = {}): MessageBackend {
    return {
      carries: 'messages',
      mode: 'streamable-http',
      sessions: 'own',
      openConnection: this.open,
      ...served,
    };
  }

  /** Returns the servers that received `initialize`, in order of their start. */
  get greeted(): readonly ScriptedServer[] {
    return this.all.filter(({ sent }) => sent.some(({ method }) => method === 'initialize'));
  }
}
