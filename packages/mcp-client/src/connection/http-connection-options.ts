import type {
  CredentialsRefusal,
  ForwardedHeader,
  MessageSender,
  OutgoingRequest,
} from '@portolan/plugin-api';
import type { HttpFault } from '../channel/http-fault.ts';
import type { HttpReply } from '../channel/http-reply.ts';
import type { InboxLimits } from './inbox.ts';

/** An HTTP request of a connection. */
export interface HttpQuestion {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Whether to repeat the request when a reused connection broke before the response. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal;
}

/**
 * Sends an HTTP request, and decides about connections, addresses, certificates and redirects. Rejects with
 * an `HttpFault`, above all with the reason `unreachable` when the server cannot have received the request.
 */
export type HttpRequest = (question: HttpQuestion) => Promise<HttpReply>;

/** Headers of one request, besides those of the protocol. */
export interface RequestHeaders {
  /** Headers that authenticate the request. They replace all others of the same name. */
  readonly credentials: readonly ForwardedHeader[];
  /** Headers of the client. Credentials and headers of the protocol among them are ignored. */
  readonly passed: readonly ForwardedHeader[];
}

export interface ConnectionLimits extends InboxLimits {
  /** Maximum bytes of one message of the server. */
  readonly messageBytes: number;
  /** Maximum number of requests without a response. */
  readonly pendingRequests: number;
  /** Maximum bytes of all requests without a response. */
  readonly pendingBytes: number;
  /** Maximum number of notifications and responses in transit. Further ones wait. */
  readonly posts: number;
  /** Maximum time in which the server accepts a notification or response, in milliseconds. */
  readonly postMs: number;
  /** Delay before the first reconnection of a stream, in milliseconds. */
  readonly retryMs: number;
}

export interface HttpConnectionOptions {
  readonly url: URL;
  readonly transport: 'streamable-http' | 'sse';
  /** Name of the server at the beginning of messages. */
  readonly name: string;
  /** Version of Portolan, for its own requests. */
  readonly version: string;
  readonly request: HttpRequest;
  /** Headers of every request. */
  readonly headers?: readonly ForwardedHeader[];
  /** Returns the headers of one request. `sender` is the client whose message it carries. */
  readonly headersFor?: (
    outgoing: OutgoingRequest,
    sender: MessageSender | undefined,
    signal: AbortSignal,
  ) => RequestHeaders | Promise<RequestHeaders>;
  /**
   * Called once for each request that the server rejected with these credentials. True means that new ones
   * are available, and the connection sends the request once more.
   */
  readonly refused?: (
    sent: readonly ForwardedHeader[],
    refusal: CredentialsRefusal,
    sender: MessageSender | undefined,
  ) => Promise<boolean>;
  /** Sentence that says what to do when the server rejects the credentials. */
  readonly renewal?: string;
  /** Creates the error that ends the messages of a connection. Default: the fault itself. */
  readonly newFault?: (fault: HttpFault) => Error;
  /**
   * Called once for each request, when it is over. Unlike the error response, the server cannot forge it. Not
   * called for cancelled requests.
   */
  readonly settled?: (outcome: 'responded' | HttpFault, sender: MessageSender | undefined) => void;
  /** Called with what the operator should know, for a log. */
  readonly tell?: (line: string) => void;
  readonly limits?: Partial<ConnectionLimits>;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  messageBytes: 64 * 1024 * 1024,
  pendingRequests: 1024,
  pendingBytes: 64 * 1024 * 1024,
  posts: 64,
  postMs: 30_000,
  retryMs: 500,
  unreadMessages: 256,
  unreadBytes: 1024 * 1024,
};
