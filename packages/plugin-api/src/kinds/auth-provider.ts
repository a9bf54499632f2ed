import type { Context, Middleware } from 'koa';
import type { Identity } from '../claims.ts';
import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { BrowserLogin } from './browser-login.ts';
import type { Host } from './host.ts';
import type { Kind, KindProblem } from './kind.ts';
import type { PluginContext } from '../plugin-context.ts';

/**
 * Kind of auth provider. In the registry server its name is a value of `auth.mode`, and its block is below
 * `auth`. For workloads the block is in the run config, or below `authProviders` of the configuration.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface AuthProviderKind<Block extends ConfigBlock = any> extends Kind<Block, AuthProvider> {
  /** Supported hosts. Others reject a configuration that uses it. */
  readonly hosts: readonly Host[];
  /**
   * Whether the provider identifies callers. If false, claims and roles cannot be checked, and a workload may
   * treat all callers as the same caller.
   */
  readonly identifies: boolean;
  /**
   * Whether users log in with a browser under these settings. Pages then need a public address and session
   * keys. Called synchronously with valid settings. Default: false.
   */
  logsIn?(config: ConfigOf<Block>): boolean;
  /**
   * Checks the settings against the metadata that identity providers publish, and returns problems that make
   * the settings useless, such as an issuer for any tenant. Returns none for an unreachable provider. `config
   * check`, `plan` and `run` call it after `check`.
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
   * `headers` become response headers. For a workload, the response is `{ error, error_description }` (RFC
   * 6750, section 3.1): the error's `oauth`, or otherwise its message.
   */
  readonly verify: Middleware;
  /** Returns the identity of the caller. Undefined for an unauthenticated request. */
  identify(ctx: Context): Identity | undefined;
  /** How clients get a token, if one is required. */
  readonly protectedResource?: ProtectedResource | undefined;
  /**
   * Returns each configured provider's verdict about a token, in order. Never throws, and never repeats the
   * token.
   */
  explainToken?(token: string): Promise<readonly TokenVerdict[]>;
  /** Returns logins in the configured order. */
  logins?(): readonly BrowserLogin[];
  /**
   * Prepares what would delay the first caller. Called once, for workloads only, while the server starts; not
   * awaited. Errors are logged.
   */
  warmUp?(): void | Promise<void>;
  /**
   * Checks the settings of this instance like `AuthProviderKind.checkOnline`, and reuses the metadata that
   * the instance requests anyway. Called once, while a workload's server starts. The first problem makes the
   * start fail.
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

/** Client without a secret, for programs on users' machines (RFC 8252). */
export interface PublicClient {
  /** Issuer exactly as the provider publishes it, for comparison with its metadata. */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty when the operator configured none. */
  readonly scopes: readonly string[];
  /** Additional parameters of the authorization request, such as `audience`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Which token of the login the registry accepts. */
  readonly token: LoginToken;
}

export type LoginToken = 'access_token' | 'id_token';

/** A provider's verdict about a token. */
export interface TokenVerdict {
  readonly provider: string;
  readonly issuer: string;
  readonly accepted: boolean;
  /** One sentence: why the token was rejected, or what was checked. */
  readonly because: string;
  readonly identity?: Identity;
}
