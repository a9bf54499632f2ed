import type { Message } from '@portolan/mcp-protocol';
import type { PendingRequest } from './pending-requests.ts';
import type { FrontTarget } from './stdio-front-options.ts';

/** What a channel tells the front. */
export interface ChannelEvents {
  /** A message of the server, as it came. Settles when it was taken. */
  readonly received: (text: string) => Promise<void>;
  /** Answers a request that the server will not answer. */
  readonly failed: (pending: PendingRequest, code: number, why: string) => Promise<void>;
  readonly tell: (line: string) => void;
  /** Ends everything: it cannot go on. */
  readonly broken: (error: unknown) => void;
}

/** Where a channel finds the workload; see `StdioFrontOptions`. */
export interface ChannelPlace {
  readonly name: string;
  /** Where it is now, or soon. Throws when it does not run. */
  readonly target: () => Promise<FrontTarget>;
  /** Asks anew. */
  readonly forget: () => void;
  readonly retryMs: number;
  readonly patienceMs: number;
  /** How long a request is sent again while responses ask for a retry. */
  readonly startTimeoutMs: number;
}

/** The way to the proxy of a workload. */
export interface Channel {
  /** Sends a request and sees to its answer, which comes by `received` or `failed`. Never rejects. */
  ask(pending: PendingRequest): Promise<void>;
  /** Sends a notification or a response. Never rejects. */
  post(message: Exclude<Message, { kind: 'request' }>): Promise<void>;
  /** A request has succeeded. */
  succeeded(pending: PendingRequest, result: unknown): void;
  /** The client has cancelled a request. Returns whether the request ends now, without a response. */
  cancelled(pending: PendingRequest): boolean;
  /** Ends the session. Never rejects. */
  close(): Promise<void>;
}
