import type { Message } from '@portolan/mcp-protocol';
import type { PendingRequest } from './pending-requests.ts';
import type { FrontTarget } from './stdio-front-options.ts';

/** Callbacks from a channel to the stdio client. */
export interface ChannelEvents {
  /** Called with each message of the server, unchanged. Settles when the client has accepted it. */
  readonly received: (text: string) => Promise<void>;
  /** Fails a request that gets no response of the server. */
  readonly failed: (pending: PendingRequest, code: number, why: string) => Promise<void>;
  readonly tell: (line: string) => void;
  /** Ends the stdio client after an error without recovery. */
  readonly broken: (error: unknown) => void;
}

/** Location of the workload, see `StdioFrontOptions`. */
export interface ChannelPlace {
  readonly name: string;
  /**
   * Returns the current location of the workload, and waits for it if it is starting. Throws when the
   * workload does not run.
   */
  readonly target: () => Promise<FrontTarget>;
  readonly forget: () => void;
  readonly retryMs: number;
  readonly patienceMs: number;
  /** Maximum time for retries of one request while responses ask for a retry, in milliseconds. */
  readonly startTimeoutMs: number;
}

/** Connection to the proxy of a workload. */
export interface Channel {
  /** Sends a request. The response comes by `received` or `failed`. Never rejects. */
  ask(pending: PendingRequest): Promise<void>;
  /** Sends a notification or a response. Never rejects. */
  post(message: Exclude<Message, { kind: 'request' }>): Promise<void>;
  succeeded(pending: PendingRequest, result: unknown): void;
  /**
   * Records that the client cancelled a request. Returns whether the request ends now, without a response.
   */
  cancelled(pending: PendingRequest): boolean;
  /** Ends the session. Never rejects. */
  close(): Promise<void>;
}
