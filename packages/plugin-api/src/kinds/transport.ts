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
  /**
   * Returns the container spec with what the transport needs. Keeps environment variables that are already
   * set. Has no side effects.
   */
  prepareContainer(spec: ContainerSpec, setup: TransportSetup): ContainerSpec;
  /** Opens the connection to the server over an attachment, which was opened before the container started. */
  openConnection(attachment: Attachment, options: MessageOptions): MessageConnection;
}

export interface HttpTransport {
  readonly carries: 'http';
  /** Returns the container spec with what the transport needs; see `MessageTransport`. */
  prepareContainer(spec: ContainerSpec, setup: TransportSetup): ContainerSpec;
  /** Path for clients, such as `/mcp`. */
  readonly clientPath: string;
}

export interface TransportSetup {
  /** Port on which the server should listen. Undefined for a server that uses standard input and output. */
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
   * Messages from the server. A message that is too long is reported as soon as it exceeds the maximum.
   * Throws when the connection breaks; ends with the server's output.
   */
  readonly received: AsyncIterable<ReceivedMessage>;
  readonly logged: AsyncIterable<string>;
  /** Resolves when the message was accepted. Rejects after the connection has ended. */
  send(message: string): Promise<void>;
  close(): Promise<void>;
}
