import type { ReceivedMessage } from '../server-backend.ts';
import type { ConfigBlock } from '../config-schema.ts';
import type { ContainerSpec } from '../container.ts';
import type { Kind } from './kind.ts';
import type { Attachment } from './runtime.ts';

/** How an MCP server is spoken to; the kind's name is a value of `--transport`. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface TransportKind<Block extends ConfigBlock = any> extends Kind<Block, Transport> {
  /** `messages`: by standard input and output. `http`: by requests to a port. */
  readonly carries: Transport['carries'];
}

/** A transport says how the server is started and what then flows; the proxy in front speaks HTTP to clients. */
export type Transport = MessageTransport | HttpTransport;

export interface MessageTransport {
  readonly carries: 'messages';
  /** The spec with what the server has to be told; variables that are set already stay as they are. Pure. */
  prepareContainer(spec: ContainerSpec, setup: TransportSetup): ContainerSpec;
  /** Reads and writes messages over an attachment that was opened before the container was started. */
  openConnection(attachment: Attachment, options: MessageOptions): MessageConnection;
}

export interface HttpTransport {
  readonly carries: 'http';
  /** As that of MessageTransport. */
  prepareContainer(spec: ContainerSpec, setup: TransportSetup): ContainerSpec;
  /** The path at which clients reach the server: `/mcp`. */
  readonly clientPath: string;
}

export interface TransportSetup {
  /** Port that the server is asked to listen on; undefined for messages. */
  readonly port: number | undefined;
  /** `session`: a process serves one session and ends with it. `shared`: it outlives its clients. */
  readonly serves: 'session' | 'shared';
}

export interface MessageOptions {
  /** A longer message is skipped. */
  readonly maxMessageBytes: number;
}

/** Messages are texts, one JSON document each, unread: who receives them trusts nothing in them. */
export interface MessageConnection {
  /**
   * Each message as it came; one that is too long as soon as it is. Throws when
   * the connection broke; its end is the end of the server's output.
   */
  readonly received: AsyncIterable<ReceivedMessage>;
  /** Lines that the server wrote for people. */
  readonly logged: AsyncIterable<string>;
  /** Settles when the message was taken; rejects when the connection has ended. */
  send(message: string): Promise<void>;
  close(): Promise<void>;
}
