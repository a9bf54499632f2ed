import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { ForwardedHeader, OutgoingRequest } from '../server-backend.ts';
import type { Kind } from './kind.ts';
import type { ProxySurroundings } from './proxy-surroundings.ts';
import type { ClientExchange, ClientMessage, ClientRequest, ServerMessage } from './proxy-exchange.ts';

/**
 * The slots of the proxy's message path, in the order in which a message of a
 * client passes them. Messages to a client pass them from the last to the first.
 *
 * | slot | for |
 * |---|---|
 * | `observe` | what writes down or measures: it sees every request, also what is refused before it was read |
 * | `limit` | how often somebody may ask: a request before it is read; a message once it has the server's names, before anybody else is asked about it |
 * | `names` | names that clients see, made into those of the server |
 * | `mutate` | what changes a message |
 * | `validate` | what looks at the final text and may refuse it |
 * | `authorize` | who may do this |
 * | `exchange` | what gives up one credential for another |
 * | `filter` | what looks at answers before anything else does |
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

/** Slots in which a message may be changed: what is validated and authorized after them is the final text. */
export const CHANGING_SLOTS = ['names', 'mutate'] as const satisfies readonly ProxySlot[];

/**
 * Whether middleware in a slot may ask for these changes of what a client says:
 * any in the slots of CHANGING_SLOTS. In `authorize` alone also what takes parts
 * out of the filter of `subscriptions/listen`: the rest is granted, and the
 * server's acknowledgement tells the client which rest.
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
 * Stands in the message path of the proxies of workloads, whatever the server
 * speaks. A run config names it in `additional_middleware_configs`.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface ProxyMiddlewareKind<Block extends ConfigBlock = any> extends Kind<Block, ProxyMiddleware> {
  readonly placed: ProxySlot;
  create(
    config: ConfigOf<Block>,
    context: ProxyMiddlewareContext,
  ): ProxyMiddleware | Promise<ProxyMiddleware>;
}

/** What proxy middleware may use beside what every plugin may. */
export interface ProxyMiddlewareContext extends PluginContext, ProxySurroundings {}

/**
 * What a proxy middleware kind creates. Each function is optional, but there is
 * at least one part. What any of them throws refuses: an error with a code by
 * its class, one with a `status` with that, its `headers` and, where it says
 * `expose`, its message; anything else is an internal error that says nothing.
 * What is thrown about a message refuses the message, as `Refusal` says, unless
 * its status is 502, 503 or 504; what `onRequest` throws refuses the HTTP request.
 *
 * A proxy that has one of these reads every message in both directions, and
 * refuses what two programs could read differently.
 */
export interface ProxyMiddleware {
  /** A request has come; nothing of its body was read. */
  onRequest?(request: ClientRequest): void | Promise<void>;
  /**
   * A client says something, also in a batch, where each message comes alone.
   * Nothing as an answer lets it pass. A change is asked for in the slots of
   * CHANGING_SLOTS alone, and is seen by everything that comes after.
   */
  onMessage?(
    message: ClientMessage,
    exchange: ClientExchange,
  ): ClientVerdict | undefined | void | Promise<ClientVerdict | undefined | void>;
  /**
   * A client is to be told something: an answer, a notification, a question of
   * the server, in whatever form it goes. A refused answer becomes an error, a
   * refused notification is left out, and a server whose question is refused is
   * told so.
   *
   * About the answer to a request of a client (`response`) it may take its time,
   * which it has to bound: what comes after that answer on the same stream waits
   * for it. About everything else it decides at once.
   */
  onAnswer?(
    message: ServerMessage,
    exchange: ClientExchange,
  ): ServerVerdict | undefined | void | Promise<ServerVerdict | undefined | void>;
  /**
   * Headers that prove to the server who asks, for each request to it, also
   * those without a message. Of servers that speak HTTP alone: in front of one on
   * standard input and output, a proxy with it does not open.
   */
  credentials?(
    outgoing: OutgoingRequest,
    exchange: ClientExchange,
    signal: AbortSignal,
  ): readonly ForwardedHeader[] | Promise<readonly ForwardedHeader[]>;
  /**
   * An answer begins: its status and headers are about to leave. Of a stream that goes on for hours this is what
   * there is to write down. Called once at most; what it throws is logged.
   */
  onBegin?(begin: AnswerBegin, request: ClientRequest): void;
  /** A request is over: answered, refused, or its client has left. Called once for each; what it throws is logged. */
  onEnd?(end: RequestEnd, request: ClientRequest): void;
  /**
   * Returns the names of the server's tools that its settings name. After the first list of
   * the server, the workload warns about names that the server does not have.
   */
  namedTools?(): readonly string[];
  /** Paths of the proxy itself: `/metrics`, and below `/.well-known/`. Never those that a server could have. */
  readonly ownPaths?: readonly OwnPath[];
  /**
   * What the first caller would wait for, such as a parser that compiles itself or a document from the network. Called
   * once, before a workload alone, while its server starts: nobody waits for it, and what it throws is logged.
   */
  warmUp?(): void | Promise<void>;
  /** Closes what it opened; called once, when the proxy stops. */
  close?(): Promise<void>;
}

export type ClientVerdict =
  | {
      readonly change: readonly MessageChange[];
      /** Names of those who asked for it, where middleware asks others: the log has them where the change leaves no message that can be used. */
      readonly by?: readonly string[];
    }
  /** JSON of the result that the client gets; the server is not asked. Of requests only. */
  | { readonly answer: string }
  | { readonly refuse: Refusal };

export type ServerVerdict = { readonly change: readonly MessageChange[] } | { readonly refuse: Refusal };

/**
 * One value of a message, spliced into its text; everything else stays as it was
 * written. The id and the kind of a message cannot be changed.
 */
export interface MessageChange {
  /** From the top: `['params', 'arguments', 'city']`, `['result', 'tools', 0, 'name']`. */
  readonly path: readonly (string | number)[];
  /**
   * JSON. A member that is not there is added to an object that is; a place in
   * an array has to be there. Undefined takes a member away.
   */
  readonly json: string | undefined;
}

/**
 * Why a client does not get what it requested. A refused request gets a JSON-RPC error, over streamable HTTP with
 * status 200, over HTTP+SSE as an event; a refused notification is dropped with 202.
 */
export interface Refusal {
  /** Shown to the client. */
  readonly message: string;
  /**
   * What kind of refusal it is, as an HTTP status of 4xx or 5xx, for those who observe: the audit log has `denied` for
   * 4xx, `failure` for 429, `error` for 5xx. Clients do not get it, except 413. Left out: 403.
   */
  readonly status?: number;
  /** Of the JSON-RPC error; left out: 403, which is outside of what the protocol reserves. */
  readonly code?: number;
  /** Shown to the client; plain data. */
  readonly data?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is known of an answer when it begins. */
export interface AnswerBegin {
  readonly status: number;
  /** Whether it is an event stream. */
  readonly isStream: boolean;
  readonly durationMs: number;
  /** What the client said, as it stands by then; empty where nothing was read. */
  readonly messages: readonly ClientMessage[];
}

/** How a request ended. */
export interface RequestEnd {
  /** Of the HTTP answer; 0 where the client left before there was one. */
  readonly status: number;
  /** Code of the error that it was refused with: `ERR_ORIGIN_NOT_ALLOWED`; undefined where none was. */
  readonly refusedWith: string | undefined;
  readonly durationMs: number;
  /** What the client said, as it stood last; empty where nothing was read. */
  readonly messages: readonly ClientMessage[];
  /** Bytes of the answer's body, as they were written. */
  readonly responseBytes: number;
  /** Of the whole request, or of messages in it, in the order in which it was decided. */
  readonly refusals: readonly MadeRefusal[];
}

/** That a message, or all of a request, was not answered by the server: refused by a step, or not to be served. */
export interface MadeRefusal {
  /** Of the request in question, as it was written; undefined for what has none. */
  readonly id: string | undefined;
  /** `ERR_ORIGIN_NOT_ALLOWED`. */
  readonly code: string;
  /** What kind of refusal it is, as an HTTP status. That of the response may be another one, see `Refusal`. */
  readonly status: number;
  /** What the client is told. */
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A path of the proxy itself. */
export interface OwnPath {
  /** Ends in `/*` for itself and everything below: `/.well-known/oauth-protected-resource/*`. */
  readonly path: string;
  readonly methods: readonly string[];
  answer(request: ClientRequest): OwnAnswer | Promise<OwnAnswer>;
}

export interface OwnAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
