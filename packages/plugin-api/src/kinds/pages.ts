import type { ConfigBlock } from '../config-schema.ts';
import type { BrowserLogin } from './browser-login.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import type { JsonObject } from '../entry.ts';
import type { Kind } from './kind.ts';

/**
 * Pages of the registry server for people: its block stands below `pages` in
 * the configuration. What they show and do comes from the server's own API, by
 * `PageRequest.api`, so that a page can never show or do more than whoever it is
 * made for could with a token.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface PagesKind<Block extends ConfigBlock = any> extends Kind<Block, Pages> {}

export interface Pages {
  /** Makes the routes; called once, before the server listens. */
  open(surroundings: PagesSurroundings): OpenPages | Promise<OpenPages>;
}

/** What pages may use of the server, beside the context that their kind is created with. */
export interface PagesSurroundings {
  /** Of Portolan. */
  readonly version: string;
  /** Address of the server as the configuration gives it, path prefix included, without a slash at its end; undefined: as requests show. */
  readonly publicUrl: string | undefined;
  /** Whether the server has the admin API (`server.adminApi`). Pages that need it have no purpose without it. */
  readonly adminApi: boolean;
  /** The ways to log people in that the auth provider has now; empty where there are none. */
  readonly logins: () => readonly BrowserLogin[];
  /** Undefined where the configuration has no keys for them: then nobody can log in. */
  readonly sessions: BrowserSessions | undefined;
  /**
   * Returns what `portolan run` asks its user for and what it refuses of an entry, by the published
   * document; undefined where the host of the pages cannot tell.
   */
  readonly describeDemands?: ((document: JsonObject) => Promise<PublishedDemands>) | undefined;
}

/** What `portolan run` asks for and refuses of an entry, in sentences for people. */
export interface PublishedDemands {
  readonly grants: readonly { readonly kind: string; readonly line: string }[];
  readonly refusals: readonly {
    /** JSON path of the setting. */
    readonly setting: string;
    readonly found: string;
    readonly because: string;
  }[];
}

export interface OpenPages {
  /**
   * Each path once for each method, and none that the API has, but for `/`: a
   * page there is for those who want HTML, and all others get what they always got.
   */
  readonly routes: readonly PageRoute[];
  /** Closes what was opened; called once, after the last request. */
  close?(): Promise<void>;
}

/** One page, or the target of one form. */
export interface PageRoute {
  /** HEAD comes with GET. */
  readonly method: 'GET' | 'POST';
  /** OpenAPI's form, parameters in braces, each a whole segment: `/browse/{registry}`. A slash at the end is accepted. */
  readonly path: string;
  /** Unique; what logs and traces call it. */
  readonly name: string;
  /** In a sentence; for whoever reads a list of the routes. */
  readonly summary: string;
  /**
   * One page at most, with GET and without parameters: what those are shown who want HTML, at an
   * address that neither the API nor a page has. It answers with 404, or leads to the page that was meant.
   */
  readonly isForUnknown?: boolean;
  readonly handle: (request: PageRequest) => PageAnswer | Promise<PageAnswer>;
}

/** A request for a page. It passed the steps of the server that do not ask who sent it: that is for the page to find out. */
export interface PageRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Address of the server that this request came to, without a slash at its end: the configured one, else what a trusted proxy or the request says. */
  readonly base: string;
  /** The path of `base`: what stands before the paths of routes in links; empty or with a slash at its beginning only. */
  readonly prefix: string;
  /** As it was sent, below `base`. */
  readonly path: string;
  /** By name, decoded once, not checked. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Names in lower case; of repeated ones, what Node makes of them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The cookies by name, values as they were sent. Of two with one name the first. */
  readonly cookies: ReadonlyMap<string, string>;
  /** Text of a POST, which is a form (`application/x-www-form-urlencoded`) or JSON, and not larger than other bodies may be; else empty. */
  readonly body: string;
  /** The one that logs have, too. */
  readonly requestId: string;
  /** Aborts when the request may take no longer; undefined for reads. */
  readonly signal: AbortSignal | undefined;
  /**
   * A request of the API, answered in this process by the same route and the same
   * steps as over HTTP: logged, audited and measured, under the id and the address
   * of this one. `authorization` is the header of that name; undefined is a caller
   * without a token. Pages cannot be asked for. Never rejects for what the API refuses.
   */
  readonly api: (request: ApiRequest, authorization: string | undefined) => Promise<ApiAnswer>;
  /**
   * Resolves when a page may go on. To be awaited after each millisecond of work or so: requests
   * of the API that came meanwhile go first, for five milliseconds at most.
   */
  readonly turn: () => Promise<void>;
}

export interface ApiRequest {
  /** Left out: GET. */
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  /** With percent escapes; without prefix, host and query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | URLSearchParams;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Such as `If-Match`; never `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the body says; undefined where it is empty or no JSON. */
  readonly json: unknown;
}

/**
 * What a page answers. The server adds what protects it, where it is not in
 * `headers`: a content security policy without inline script and other hosts, no
 * frames, `Cache-Control: no-store`.
 */
export interface PageAnswer {
  readonly status: number;
  /** A list is sent as several headers of one name: cookies. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer | undefined;
}
