import type { Context, Middleware } from 'koa';
import type { Identity } from '../claims.ts';
import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { BrowserLogin } from './browser-login.ts';
import type { Host } from './host.ts';
import type { Kind } from './kind.ts';

/**
 * In the registry server the kind's name is a value of `auth.mode`, and its block
 * stands below `auth` under that name. For workloads the block comes from the run
 * config, or stands below `authProviders` of the configuration.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface AuthProviderKind<Block extends ConfigBlock = any> extends Kind<Block, AuthProvider> {
  /** The programs it checks requests for. A configuration of another one that names it is refused. */
  readonly hosts: readonly Host[];
  /**
   * False when requests carry no identity at all, so that claims and roles cannot be
   * checked; before a workload everybody may then count as one and the same.
   */
  readonly identifies: boolean;
  /**
   * Whether people log in with a browser by these settings: then pages need an address to
   * come back to, and keys for what they keep. Left out: they never do. Asked of settings
   * that have passed their schema; answers at once.
   */
  logsIn?(config: ConfigOf<Block>): boolean;
}

export interface AuthProvider {
  /**
   * Goes on when the credential is good, throws with status 401 when it is not,
   * as koa-jwt does. Headers of the answer, such as a challenge, stand in
   * `headers` of what is thrown. Before a workload the answer is a JSON object,
   * `{ error, error_description }` (RFC 6750, 3.1): what stands in `oauth` of what
   * is thrown, else the message.
   */
  readonly verify: Middleware;
  /** Who was verified; undefined is nobody. */
  identify(ctx: Context): Identity | undefined;
  /** What clients need to get a token; undefined or left out where no token is asked for. */
  readonly protectedResource?: ProtectedResource | undefined;
  /** What each configured provider says of a token, in order; nothing is thrown, and the token is not repeated. */
  explainToken?(token: string): Promise<readonly TokenVerdict[]>;
  /** Ways to log people in with a browser, in the order of the configuration; left out or empty where there are none. */
  logins?(): readonly BrowserLogin[];
  /**
   * What the first caller would wait for, such as a parser that compiles itself or a document from the network. Called
   * once, before a workload alone, while its server starts: nobody waits for it, and what it throws is logged.
   */
  warmUp?(): void | Promise<void>;
  close?(): Promise<void>;
}

/** Protected resource metadata (RFC 9728, section 2). */
export interface ProtectedResource {
  /** Left out where the operator has named no address: then it is the one clients use. */
  readonly resource?: string;
  readonly authorizationServers: readonly string[];
  /** Scopes to ask for; left out where the operator has named none. */
  readonly scopes?: readonly string[];
  /** Public clients that command lines log people in with; left out where the operator has named none. */
  readonly publicClients?: readonly PublicClient[];
}

/** A client without a secret, for programs on machines of people (RFC 8252). */
export interface PublicClient {
  /** As the provider says it, so that its metadata can be compared with it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty where the operator has named none. */
  readonly scopes: readonly string[];
  /** More parameters of the authorization request, such as an `audience`; left out where there are none. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Which of the tokens that a login brings the registry accepts. */
  readonly token: LoginToken;
}

export type LoginToken = 'access_token' | 'id_token';

/** What one provider says of one token. */
export interface TokenVerdict {
  readonly provider: string;
  readonly issuer: string;
  readonly accepted: boolean;
  /** A sentence: why not, or what was checked. */
  readonly because: string;
  /** Whose token it is, where it was accepted. */
  readonly identity?: Identity;
}
