import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { OutgoingCredentials } from '../server-backend.ts';
import type { Kind } from './kind.ts';

/**
 * Credentials with which a workload authenticates to a remote server, such as a login or a signature. They
 * are the same for all clients. For credentials that depend on the caller, use `credentials` of a proxy
 * middleware.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface OutgoingCredentialsKind<Block extends ConfigBlock = any>
  extends Kind<Block, OutgoingCredentials> {
  create(
    config: ConfigOf<Block>,
    context: OutgoingCredentialsContext,
  ): OutgoingCredentials | Promise<OutgoingCredentials>;
}

/** Context of outgoing credentials, in addition to every plugin's. */
export interface OutgoingCredentialsContext extends PluginContext, OutgoingCredentialsHostContext {}

/** What a workload's host provides to outgoing credentials. */
export interface OutgoingCredentialsHostContext {
  readonly server: RemoteServer;
  /** As `ProxyContext.secret`: the value of a secret that the run config references. */
  readonly secret: (reference: string) => string;
  /** Called with the new state whenever the state of the credentials changes. */
  readonly changed: (state: CredentialsState) => void;
  readonly login: WorkloadLogin;
}

export interface RemoteServer {
  readonly workload: string;
  /** URL of the remote server, as the user or the registry specifies it. */
  readonly url: URL;
}

/** State of the credentials. */
export type CredentialsState =
  | { readonly is: 'good' }
  /** The credentials are temporarily unavailable, and are requested again. */
  | { readonly is: 'retrying'; readonly why: string }
  /** The credentials are unavailable until a user acts. */
  | { readonly is: 'over'; readonly why: string };

/**
 * A user's login at an authorization server. The secret store contains the parts that outlive the process.
 */
export interface WorkloadLogin {
  /** Whether a user was logged in at the start. */
  readonly isThere: boolean;
  /** Access token that the login returned just before the start. */
  readonly handed: HandedToken | undefined;
  /** Reads the stored login. Undefined when no user is logged in. Throws what the secret store throws. */
  read(signal: AbortSignal): Promise<StoredTokens | undefined>;
  /** Stores the result of a renewal in place of the previous one. Throws what the secret store throws. */
  keep(renewed: RenewedLogin, signal: AbortSignal): Promise<void>;
  /** Stores a dynamically registered client. Throws what the secret store throws. */
  keepClient(client: StoredClient, signal: AbortSignal): Promise<void>;
  /** Runs work exclusively: no other process, login or logout changes the stored login meanwhile. */
  alone<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value>;
  /**
   * Registers a function to call after each later login or logout. Returns a function that unregisters it.
   */
  onChange(then: () => Promise<void>): () => void;
  /** Reports scopes that the login lacks, for the workload's status. An empty list clears the report. */
  lacks(scopes: readonly string[]): void;
  /**
   * Asks the user at the terminal to log in for additional scopes. When it resolves, the `onChange` functions
   * have been called. Rejects when the login fails. Undefined when no user is present.
   */
  readonly stepUp: ((scopes: readonly string[]) => Promise<void>) | undefined;
}

/** An access token that another process obtained. */
export interface HandedToken {
  readonly accessToken: string;
  /** Time at which the token expires. Undefined when unknown. */
  readonly expiresAt: Date | undefined;
  /** Whether a refresh token was stored together with this token. */
  readonly isRenewed: boolean;
}

/** Result of a renewal. */
export interface RenewedLogin {
  /** New refresh token. Undefined when the previous one stays valid. */
  readonly refreshToken: string | undefined;
  readonly expiresAt: Date | undefined;
  /** Undefined when unchanged. */
  readonly scopes: readonly string[] | undefined;
  readonly subject: string | undefined;
}

export interface StoredClient {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly authMethod?: string | undefined;
  /**
   * Data for managing a dynamically registered client. Undefined when the server does not support management.
   */
  readonly registration?: StoredRegistration | undefined;
}

/** Data for managing a registration (RFC 7592). */
export interface StoredRegistration {
  readonly url: string;
  readonly token: string;
  /** Undefined for a secret without expiry. */
  readonly secretExpiresAt: Date | undefined;
  /** The registered redirect URI. */
  readonly redirectUri: string;
}

export interface StoredTokens {
  readonly issuer: string;
  /** Values that the user specified besides the server. Metadata discovery ignores them. */
  readonly named: {
    readonly issuer: string | undefined;
    readonly authorizeUrl: string | undefined;
    readonly tokenUrl: string | undefined;
  };
  /** Resource indicator (RFC 8707) of token requests. Empty when token requests contain none. */
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  /** The logged-in user. Undefined when the server does not report it. */
  readonly subject: string | undefined;
  readonly client: StoredClient;
  readonly refreshToken: string | undefined;
  /** Access token from a server that issues no refresh tokens, valid until `expiresAt`. */
  readonly accessToken: string | undefined;
  readonly expiresAt: Date | undefined;
}
