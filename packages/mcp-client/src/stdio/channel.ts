import type { Message } from '@portolan/mcp-protocol';
import type { PendingRequest } from './pending-requests.ts';
import type { StdioClientTarget } from './stdio-client-options.ts';

export interface ChannelEvents {
  /** Called with each message, unchanged. Settles when the client has accepted it. */
  readonly received: (text: string) => Promise<void>;
  readonly failed: (pending: PendingRequest, code: number, why: string) => Promise<void>;
  readonly tell: (line: string) => void;
  readonly broken: (error: unknown) => void;
}

export interface ChannelAddress {
  readonly name: string;
  /** Returns the workload's address. Waits while the workload starts; throws when it does not run. */
  readonly target: () => Promise<StdioClientTarget>;
  readonly forget: () => void;
  readonly retryMs: number;
  readonly patienceMs: number;
  /** Maximum time in milliseconds for retries of one request, as long as responses contain `Retry-After`. */
  readonly startTimeoutMs: number;
}

export interface Channel {
  /** Sends a request. The response comes by `received` or `failed`. Never rejects. */
  ask(pending: PendingRequest): Promise<void>;
  /** Sends a notification or a response. Never rejects. */
  post(message: Exclude<Message, { kind: 'request' }>): Promise<void>;
  succeeded(pending: PendingRequest, result: unknown): void;
  /** Handles a cancellation by the client. Returns whether the request ends now, without a response. */
  cancelled(pending: PendingRequest): boolean;
  close(): Promise<void>;
}
