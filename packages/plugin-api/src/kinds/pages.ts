import type { ConfigBlock } from '../config-schema.ts';
import type { BrowserLogin } from './browser-login.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import type { JsonObject } from '../entry.ts';
import type { Kind } from './kind.ts';

/**
 * Pages of the registry server for people; the block is below `pages`. Pages use the API through
 * `PageRequest.api`, so a page can never show or do more than its user could with a token.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface PagesKind<Block extends ConfigBlock = any> extends Kind<Block, Pages> {}

export interface Pages {
  /** Called once, before the server listens. */
  open(context: PagesContext): OpenPages | Promise<OpenPages>;
}

/** What the server provides to pages, besides the context of their kind. */
export interface PagesContext {
  readonly version: string;
  /**
   * Address at which users reach the server, including the path prefix, without a trailing slash. Undefined
   * when the address follows from each request.
   */
  readonly publicUrl: string | undefined;
  /**
   * Whether the server has the admin API (`server.adminApi`). Pages that need the admin API are useless
   * without it.
   */
  readonly adminApi: boolean;
  /** Returns the current logins of the auth provider. */
  readonly logins: () => readonly BrowserLogin[];
  /** Sessions of logged-in users. Undefined without configured keys; no user can log in then. */
  readonly sessions: BrowserSessions | undefined;
  /**
   * Returns what `portolan run` would ask the user for an entry, and why it would refuse the entry. Undefined
   * when the host cannot determine it.
   */
  readonly describeDemands?: ((document: JsonObject) => Promise<PublishedDemands>) | undefined;
}

/** What `portolan run` asks the user for an entry, and why it refuses the entry, as sentences. */
export interface PublishedDemands {
  readonly grants: readonly { readonly kind: string; readonly line: string }[];
  readonly refusals: readonly {
    readonly setting: string;
    readonly found: string;
    readonly because: string;
  }[];
}

export interface OpenPages {
  /**
   * Routes of the pages, each with a unique path and method. The only path of the API that pages may use is
   * `/`; clients that prefer HTML then get the page.
   */
  readonly routes: readonly PageRoute[];
  /** Called once, after the last request. */
  close?(): Promise<void>;
}

export interface PageRoute {
  /** HTTP method. GET includes HEAD. */
  readonly method: 'GET' | 'POST';
  /** OpenAPI form: `/browse/{registry}`. A trailing slash is accepted. */
  readonly path: string;
  /** Unique; for logs and traces. */
  readonly name: string;
  /** One sentence for lists of routes. */
  readonly summary: string;
  /**
   * Marks the page for unknown addresses: at most one, with GET and without parameters. It responds with 404
   * or a redirect.
   */
  readonly isForUnknown?: boolean;
  readonly handle: (request: PageRequest) => PageResponse | Promise<PageResponse>;
}

/**
 * A request for a page. The server has processed it except for authentication, which the page does itself.
 */
export interface PageRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Address at which the request reached the server, without a trailing slash. */
  readonly base: string;
  /** Path of `base`, to prepend to the paths of routes in links. Empty, or begins with a slash and ends without one. */
  readonly prefix: string;
  /** As sent, below `base`. */
  readonly path: string;
  /** Path parameters by name, decoded once, not validated. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Lower-case names; repeated headers as Node.js merges them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Cookies by name, with raw values. If a name occurs twice, the first value counts. */
  readonly cookies: ReadonlyMap<string, string>;
  /**
   * Text of a POST body, a form (`application/x-www-form-urlencoded`) or JSON, within the size limit of
   * bodies.
   */
  readonly body: string;
  /** Id of the request, which log lines contain too. */
  readonly requestId: string;
  /** Aborts after the time limit. Undefined for reads. */
  readonly signal: AbortSignal | undefined;
  /**
   * Calls the API in process, through the same route and steps as over HTTP: logged, audited and measured
   * under this request's id and address. `authorization` is the value of that header. Never rejects for a
   * refusal of the API.
   */
  readonly api: (request: ApiRequest, authorization: string | undefined) => Promise<ApiResponse>;
  /**
   * Resolves when the page may continue. Await it after about each millisecond of work, so that pending API
   * requests can run. It waits at most five milliseconds.
   */
  readonly turn: () => Promise<void>;
}

export interface ApiRequest {
  /** Default: GET. */
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  /** With percent escapes; without prefix, host and query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | URLSearchParams;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Such as `If-Match`; never `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed body. Undefined when empty or not JSON. */
  readonly json: unknown;
}

/**
 * The server adds security headers that `headers` does not contain: a content security policy without inline
 * scripts and other hosts, no framing, `Cache-Control: no-store`.
 */
export interface PageResponse {
  readonly status: number;
  /** Response headers. A list is sent as repeated headers. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer | undefined;
}
