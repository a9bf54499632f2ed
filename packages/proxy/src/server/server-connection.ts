import type { ReceivedMessage } from '@portolan/plugin-api';

/**
 * A connection to one process of a server, as transports that carry messages
 * open it. Messages are texts of one JSON document each; nothing in them is trusted.
 */
export interface ServerConnection {
  /** Ends, or throws, when the process ended. Read by one reader only. */
  readonly received: AsyncIterable<ReceivedMessage>;
  /** Settles when the message was taken, so that a server that reads slowly slows its senders. */
  send(message: string): Promise<void>;
  /** Ends the process for certain. Safe to call twice, and after the process has ended. */
  close(): Promise<void>;
}

/** Starts another process of the server. */
export type OpenConnection = (signal: AbortSignal) => Promise<ServerConnection>;
