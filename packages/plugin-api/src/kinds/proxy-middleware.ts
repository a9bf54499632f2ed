import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { ForwardedHeader, OutgoingRequest } from '../server-backend.ts';
import type { Kind } from './kind.ts';
import type { ProxyContext } from './proxy-context.ts';
import type {
  ClientExchange,
  ClientMessage,
  ClientRequest,
  NotificationView,
  ServerMessage,
} from './proxy-exchange.ts';

/**
 * The slots of the proxy's message path, in the order in which a message of a client passes them. Messages to
 * a client pass them from the last to the first.
 *
 * | slot | for |
 * |---|---|
 * | `observe` | logging and measuring: sees every request, including those that are refused before they are
 * read |
 * | `limit` | rate limits: for requests before they are read; for messages once they have the server's names,
 * before later slots cause work |
 * | `names` | mapping names that clients see to those of the server |
 * | `mutate` | changing messages |
 * | `validate` | checking the final text, which it may refuse |
 * | `authorize` | authorization of the call |
 * | `exchange` | exchanging one credential for another |
 * | `filter` | inspecting responses before all other slots |
 */
export const PROXY_SLOTS = [
  'observe',
  'limit',
  'names',
  'mutate',
  'validate',
  'authorize',
  'exchange',
  'filter',
] as const;

export type ProxySlot = (typeof PROXY_SLOTS)[number];

/** Slots that may change messages. Validation and authorization run after them, on the final text. */
export const CHANGING_SLOTS = ['names', 'mutate'] as const satisfies readonly ProxySlot[];

/**
 * Returns whether middleware in this slot may make these changes to a message. Slots in CHANGING_SLOTS may
 * make any change. `authorize` may only remove parts of the filter of `subscriptions/listen`.
 */
export function mayChange(
  slot: ProxySlot,
  message: ClientMessage,
  changes: readonly MessageChange[],
): boolean {
  if ((CHANGING_SLOTS as readonly ProxySlot[]).includes(slot)) return true;
  const isListening = message.kind === 'request' && message.method === 'subscriptions/listen';
  return (
    slot === 'authorize' &&
    isListening &&
    changes.every(
      ({ path: [first, second, third], json }) =>
        json === undefined && first === 'params' && second === 'notifications' && third !== undefined,
    )
  );
}

/**
 * Middleware in the message path of workload proxies. A run config lists it in
 * `additional_middleware_configs`.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface ProxyMiddlewareKind<Block extends ConfigBlock = any> extends Kind<Block, ProxyMiddleware> {
  readonly placed: ProxySlot;
  create(
    config: ConfigOf<Block>,
    context: ProxyMiddlewareContext,
  ): ProxyMiddleware | Promise<ProxyMiddleware>;
}

/** Context of proxy middleware, in addition to every plugin's. */
export interface ProxyMiddlewareContext extends PluginContext, ProxyContext {}

/**
 * Instance of a proxy middleware kind. At least one part is required. An error from any function is a
 * refusal: an error with a code by its class; an error with a `status` with that status, its `headers` and,
 * with `expose`, its message; any other as an internal error without details. An error about a message
 * refuses the message, as `Refusal` says, unless its status is 502, 503 or 504. An error of `onRequest`
 * refuses the HTTP request.
 * A proxy with one of these functions parses every message in both directions and refuses ambiguous ones.
 */
export interface ProxyMiddleware {
  /** Called before the body is read. */
  onRequest?(request: ClientRequest): void | Promise<void>;
  /**
   * Called for each message of a client, also within a batch. Returning nothing accepts it. Only slots of
   * CHANGING_SLOTS may change it, and everything later sees the change.
   */
  onMessage?(
    message: ClientMessage,
    exchange: ClientExchange,
  ): ClientVerdict | undefined | void | Promise<ClientVerdict | undefined | void>;
  /**
   * Called for a message to a client: a response, a notification or a request of the server. A refused
   * response becomes an error, a refused notification is dropped, and the server gets an error for a refused
   * request.
   * For the response to a client's request (`response`) it may be asynchronous but must be bounded: later
   * messages on the same stream wait. For other messages it must be synchronous.
   */
  onResponse?(
    message: ServerMessage,
    exchange: ClientExchange,
  ): ServerVerdict | undefined | void | Promise<ServerVerdict | undefined | void>;
  /**
   * Returns headers that authenticate the caller to the server, for each request, including those without a
   * message. A proxy for a stdio server with it does not open.
   */
  credentials?(
    outgoing: OutgoingRequest,
    exchange: ClientExchange,
    signal: AbortSignal,
  ): readonly ForwardedHeader[] | Promise<readonly ForwardedHeader[]>;
  /**
   * Called at most once, when status and headers are about to be sent. It is the event to log for long-lived
   * streams. Errors are logged.
   */
  onResponseHead?(head: ResponseHead, request: ClientRequest): void;
  /**
   * Called once per request at its end: responded, refused, or abandoned by its client. Errors are logged.
   */
  onEnd?(end: RequestEnd, request: ClientRequest): void;
  /**
   * Called when the server differs from what was approved, and when a held difference is approved. Errors are logged.
   */
  onDrift?(event: DriftEvent): void;
  /**
   * Returns the tool names that its settings contain. The workload warns about names that the server does not
   * have.
   */
  namedTools?(): readonly string[];
  /**
   * Paths that the proxy serves itself: `/metrics`, or paths below `/.well-known/`. A path that a server may
   * use is not allowed.
   */
  readonly servedPaths?: readonly ServedPath[];
  /**
   * Prepares what would delay the first caller. Called once, for workloads only, while the server starts; not
   * awaited. Errors are logged.
   */
  warmUp?(): void | Promise<void>;
  /** Called once, when the proxy stops. */
  close?(): Promise<void>;
}

export type ClientVerdict =
  | {
      readonly change: readonly MessageChange[];
      /**
       * Names of the services that requested the change. They are logged when the change makes the message
       * unusable.
       */
      readonly by?: readonly string[];
    }
  /** JSON result for the client; the server is not called. For requests only. */
  | { readonly response: string }
  | { readonly refuse: Refusal };

export type ServerVerdict = { readonly change: readonly MessageChange[] } | { readonly refuse: Refusal };

/**
 * Change of one value in the text of a message; everything else stays as written. Id and kind cannot be
 * changed.
 */
export interface MessageChange {
  /** Path from the root: `['params', 'arguments', 'city']`, `['result', 'tools', 0, 'name']`. */
  readonly path: readonly (string | number)[];
  /**
   * JSON. Adds a missing member to an existing object; an array index must exist. Undefined removes the
   * member.
   */
  readonly json: string | undefined;
}

/**
 * A refused request gets a JSON-RPC error, over streamable HTTP with status 200, over HTTP+SSE as an event; a
 * refused notification is dropped with 202.
 */
export interface Refusal {
  readonly message: string;
  /**
   * HTTP status 4xx or 5xx, for observers: the audit log has `denied` for 4xx, `failure` for 429, `error` for
   * 5xx. Clients do not get it, except 413. Default: 403.
   */
  readonly status?: number;
  /** JSON-RPC code. Default: 403, which is outside the protocol's reserved range. */
  readonly code?: number;
  /** Plain data for the client. */
  readonly data?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ResponseHead {
  readonly status: number;
  readonly isStream: boolean;
  readonly durationMs: number;
  /** The client's messages with the changes so far. Empty when the body was not read. */
  readonly messages: readonly ClientMessage[];
}

/** Difference between what a server has and what was approved, for logs and metrics. */
export interface DriftEvent {
  /** `drift_held` is a difference that clients do not get until it is approved. */
  readonly type: 'drift_detected' | 'drift_held' | 'drift_approved';
  /** Subject of the difference, such as `tool`, `prompt`, `template` or `instructions`. */
  readonly kind: string;
  /** Name of the tool or prompt, or the URI template. Empty for other kinds. A server chooses it. */
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed' | 'unreadable';
  /** Class of the change: `note`, `held` or `refused`. */
  readonly class: string;
  /** JSON pointers (RFC 6901) to the changed fields of the definition. */
  readonly fields: readonly string[];
}

/** Result of a request. */
export interface RequestEnd {
  /** HTTP status of the response. 0 when the client disconnected before the response started. */
  readonly status: number;
  /** Code of the error that refused it, such as `ERR_ORIGIN_NOT_ALLOWED`; undefined for none. */
  readonly refusedWith: string | undefined;
  readonly durationMs: number;
  /** The client's messages in their final form. Empty when the body was not read. */
  readonly messages: readonly ClientMessage[];
  /** Number of bytes of the response body as written. */
  readonly responseBytes: number;
  /** All refusals of this request and its messages, in order of decision. */
  readonly refusals: readonly MadeRefusal[];
}

/**
 * A refused message or request, which the server did not get or did not respond to: a middleware refused it, or
 * the proxy could not serve it.
 */
export interface MadeRefusal {
  /** JSON text of the request's id. */
  readonly id: string | undefined;
  /** Such as `ERR_ORIGIN_NOT_ALLOWED`. */
  readonly code: string;
  /**
   * HTTP status that describes the refusal for observers. The status of the response may differ; see
   * `Refusal`.
   */
  readonly status: number;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A path of the proxy itself. */
export interface ServedPath {
  /**
   * Path. A suffix `/*` matches the path itself and everything below:
   * `/.well-known/oauth-protected-resource/*`.
   */
  readonly path: string;
  readonly methods: readonly string[];
  respond(request: ClientRequest): ServedResponse | Promise<ServedResponse>;
}

export interface ServedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const LIST_CHANGE = /^notifications\/.*\/list_changed$/i;

/**
 * Returns a verdict for a list-changed notification that removes all its content except `_meta`. Clients then
 * request the list, which the middleware filters. Undefined for other notifications.
 */
export function bareListChange({ method, params = {} }: NotificationView): ServerVerdict | undefined {
  if (!LIST_CHANGE.test(method)) return undefined;
  const change = Object.keys(params)
    .filter((name) => name !== '_meta')
    .map((name) => ({ path: ['params', name], json: undefined }));
  return change.length === 0 ? undefined : { change };
}
