import type { ReceivedMessage } from '../server-backend.ts';
import type { ConfigBlock } from '../config-schema.ts';
import type { ContainerSpec } from '../container.ts';
import type { Kind } from './kind.ts';
import type { Attachment } from './runtime.ts';

/** Transport of an MCP server. The kind's name is a value of `--transport`. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface TransportKind<Block extends ConfigBlock = any> extends Kind<Block, Transport> {
  /** `messages`: standard input and output. `http`: requests to a port. */
  readonly carries: Transport['carries'];
}

/**
 * Defines how a server is started and how it communicates. The proxy in front of it always speaks HTTP to
 * clients.
 */
export type Transport = MessageTransport | HttpTransport;

export interface MessageTransport {
  readonly carries: 'messages';
  /** Keeps variables that are already set. Pure. */
  prepareContainer(spec: ContainerSpec, setup: TransportSetup): ContainerSpec;
  /** The attachment was opened before the container started. */
  openConnection(attachment: Attachment, options: MessageOptions): MessageConnection;
}

export interface HttpTransport {
  readonly carries: 'http';
  /** As in MessageTransport. */
  prepareContainer(spec: ContainerSpec, setup: TransportSetup): ContainerSpec;
  /** Path for clients, such as `/mcp`. */
  readonly clientPath: string;
}

export interface TransportSetup {
  /** Port that the server should listen on. Undefined for messages. */
  readonly port: number | undefined;
  /** `session`: one process per session. `shared`: one for all clients. */
  readonly serves: 'session' | 'shared';
}

export interface MessageOptions {
  /** Maximum size of a message, in bytes. Longer ones are skipped. */
  readonly maxMessageBytes: number;
}

/** Messages are unparsed JSON texts with untrusted content. */
export interface MessageConnection {
  /**
   * Reports a message that is too long at once. Throws when the connection breaks; ends with the server's
   * output.
   */
  readonly received: AsyncIterable<ReceivedMessage>;
  readonly logged: AsyncIterable<string>;
  /** Resolves when the message was accepted. Rejects after the connection has ended. */
  send(message: string): Promise<void>;
  close(): Promise<void>;
}
