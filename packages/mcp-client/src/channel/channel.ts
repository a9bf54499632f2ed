import type { Message } from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import type { HttpFault } from './http-fault.ts';
import type { HttpReply } from './http-reply.ts';
import type { PendingRequest } from './pending-requests.ts';

/** Receiver of what a channel gets from the server. */
export interface ChannelEvents {
  /**
   * Called with each message, unchanged. With `only`, the message may respond to that request only. Settles
   * when the client has accepted the message.
   */
  readonly received: (text: string, only?: PendingRequest) => Promise<void>;
  readonly failed: (pending: PendingRequest, fault: HttpFault) => Promise<void>;
  readonly tell: (line: string) => void;
  /** Called when the channel cannot go on. */
  readonly broken: (error: unknown) => void;
}

/** An HTTP request of a channel. */
export interface ChannelRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Headers of the protocol, which no other header may replace. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Default: the address of the server. */
  readonly url?: URL;
  /** Whether the request has no effect, so that a repetition is harmless. Default: only a GET. */
  readonly isRepeatable?: boolean;
  readonly sender: MessageSender | undefined;
  readonly signal: AbortSignal;
}

/** How the requests of a channel reach the server. */
export interface ChannelRoute {
  /** Name of the server in messages. */
  readonly name: string;
  /** Delay before the first reconnection of a stream, in milliseconds. */
  readonly retryMs: number;
  /** Maximum bytes of one message of the server. */
  readonly maxMessageBytes: number;
  /**
   * Whether the channel replaces a lost session by another, which the client does not notice. Otherwise the
   * channel is over.
   */
  readonly isRecovering: boolean;
  send(request: ChannelRequest): Promise<HttpReply>;
  /** Returns the address for messages that the event `endpoint` of an HTTP+SSE stream names. */
  readonly addressOf: (endpoint: string, stream: HttpReply) => URL;
}

export interface Channel {
  /** Sends a request. The response comes by `received` or `failed`. Never rejects. */
  ask(pending: PendingRequest): Promise<void>;
  /** Sends a notification or a response. Gives up after `timeoutMs` milliseconds. Never rejects. */
  post(
    message: Exclude<Message, { kind: 'request' }>,
    sender?: MessageSender,
    timeoutMs?: number,
  ): Promise<void>;
  succeeded(pending: PendingRequest, result: unknown): void;
  /** Handles a cancellation by the client. Returns whether the request ends now, without a response. */
  cancelled(pending: PendingRequest): boolean;
  close(): Promise<void>;
}
