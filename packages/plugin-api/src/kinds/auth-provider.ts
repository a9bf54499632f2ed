import type { Context, Middleware } from 'koa';
import type { Identity } from '../claims.ts';
import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { BrowserLogin } from './browser-login.ts';
import type { Host } from './host.ts';
import type { Kind, KindProblem } from './kind.ts';
import type { PluginContext } from '../plugin-context.ts';

/**
 * Kind of auth provider. In the registry server its name is a value of `auth.mode`, and its block is below
 * `auth` under that name. For workloads the block is in the run config, or below `authProviders` of the
 * configuration.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface AuthProviderKind<Block extends ConfigBlock = any> extends Kind<Block, AuthProvider> {
  /** Hosts that it supports. The configuration of another host that uses it is rejected. */
  readonly hosts: readonly Host[];
  /**
   * Whether it identifies callers. If false, claims and roles cannot be checked; a workload may then treat
   * all callers as one.
   */
  readonly identifies: boolean;
  /**
   * Returns whether users log in with a browser under these settings. Pages then need a public address and
   * session keys. Default: false. Called synchronously with settings that their schema accepts.
   */
  logsIn?(config: ConfigOf<Block>): boolean;
  /**
   * Returns what providers publish that makes the settings useless, such as an issuer for any tenant. Empty when nothing
   * is wrong, and for a provider that cannot be reached. `config check`, `plan` and `run` call it, after `check`. The
   * signal ends the requests.
   */
  checkOnline?(
    config: ConfigOf<Block>,
    context: OnlineCheckContext,
    signal: AbortSignal,
  ): Promise<readonly KindProblem[]>;
}

/** Context of `AuthProviderKind.checkOnline`. */
export type OnlineCheckContext = Pick<PluginContext, 'openFetch' | 'directory' | 'trustsLoopback'>;

export interface AuthProvider {
  /**
   * Continues for a valid credential and throws with status 401 for an invalid one, like koa-jwt. The error's
   * `headers` become response headers, such as a challenge. For a workload, the response is the JSON object
   * `{ error, error_description }` (RFC 6750, section 3.1): the error's `oauth`, or otherwise its message.
   */
  readonly verify: Middleware;
  /** Returns the verified identity; undefined for an unauthenticated request. */
  identify(ctx: Context): Identity | undefined;
  /** How clients get a token. Undefined when none is required. */
  readonly protectedResource?: ProtectedResource | undefined;
  /**
   * Returns each configured provider's verdict about a token, in order. Never throws, and never repeats the
   * token.
   */
  explainToken?(token: string): Promise<readonly TokenVerdict[]>;
  /** Returns the browser logins, in the configured order. Undefined or empty when there are none. */
  logins?(): readonly BrowserLogin[];
  /**
   * Prepares what would delay the first caller, such as compiling a parser or fetching a document. Called
   * once, for workloads only, while the server starts. It is not awaited, and its errors are logged.
   */
  warmUp?(): void | Promise<void>;
  /**
   * Returns the same as `AuthProviderKind.checkOnline`, of the settings of this instance, and shares its requests. Called
   * once, while the server of a workload starts, which fails with the first problem.
   */
  checkOnline?(signal: AbortSignal): Promise<readonly KindProblem[]>;
  close?(): Promise<void>;
}

/** Protected resource metadata (RFC 9728, section 2). */
export interface ProtectedResource {
  /** Default: the address that clients use. */
  readonly resource?: string;
  readonly authorizationServers: readonly string[];
  /** Scopes that clients should request. Default: none. */
  readonly scopes?: readonly string[];
  /** Public clients for logins from the command line. Default: none. */
  readonly publicClients?: readonly PublicClient[];
}

/** A client without a secret, for programs on users' machines (RFC 8252). */
export interface PublicClient {
  /** Exactly as the provider publishes it, because its metadata is compared with it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty when the operator configured none. */
  readonly scopes: readonly string[];
  /** Additional parameters of the authorization request, such as `audience`. Default: none. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Token of the login that the registry accepts. */
  readonly token: LoginToken;
}

export type LoginToken = 'access_token' | 'id_token';

/** A provider's verdict about a token. */
export interface TokenVerdict {
  readonly provider: string;
  readonly issuer: string;
  readonly accepted: boolean;
  /** Reason of the rejection, or what was checked, as a sentence. */
  readonly because: string;
  /** Identity of an accepted token. */
  readonly identity?: Identity;
}
