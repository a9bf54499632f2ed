import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { OutgoingCredentials } from '../server-backend.ts';
import type { Kind } from './kind.ts';

/**
 * Authenticates a workload to a remote server, independent of the client: a login or a signature. Credentials
 * that depend on the caller are `credentials` of proxy middleware.
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
export interface OutgoingCredentialsContext extends PluginContext, OutgoingCredentialsSurroundings {}

/** What a workload's host provides to outgoing credentials. */
export interface OutgoingCredentialsSurroundings {
  readonly server: RemoteServer;
  /** As `ProxySurroundings.secret`: the value of a secret that the run config references. */
  readonly secret: (reference: string) => string;
  /** Reports the state, once per change. */
  readonly changed: (state: CredentialsState) => void;
  readonly login: WorkloadLogin;
}

export interface RemoteServer {
  readonly workload: string;
  /** As the user or the registry specifies it. */
  readonly url: URL;
}

/** State of the credentials. */
export type CredentialsState =
  | { readonly is: 'good' }
  /** Temporarily unavailable. */
  | { readonly is: 'retrying'; readonly why: string }
  /** Unavailable until a user acts. */
  | { readonly is: 'over'; readonly why: string };

/** A user's login at an authorization server. Its lasting parts are in the secret store. */
export interface WorkloadLogin {
  /** Whether a user was logged in at the start. */
  readonly isThere: boolean;
  /** Access token from the login just before the start. */
  readonly handed: HandedToken | undefined;
  /** Returns undefined when no user is logged in. Throws what the secret store throws. */
  read(signal: AbortSignal): Promise<KeptLogin | undefined>;
  /** Replaces the previous result. Throws what the secret store throws. */
  keep(renewed: RenewedLogin, signal: AbortSignal): Promise<void>;
  /** Throws what the secret store throws. */
  keepClient(client: KeptClient, signal: AbortSignal): Promise<void>;
  /** Excludes concurrent logins, logouts and other processes. */
  alone<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value>;
  /** Called after a later login or logout. Returns a function that stops it. */
  onChange(then: () => Promise<void>): () => void;
  /** An empty list clears the report. */
  lacks(scopes: readonly string[]): void;
  /**
   * Asks the user at the terminal to log in for additional scopes. `onChange` has called back when it
   * resolves. Undefined when no user is present. Rejects when the login fails.
   */
  readonly stepUp: ((scopes: readonly string[]) => Promise<void>) | undefined;
}

/** An access token that another process obtained. */
export interface HandedToken {
  readonly accessToken: string;
  /** Undefined when unknown. */
  readonly expiresAt: Date | undefined;
  /** Whether a stored refresh token came with it. */
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

export interface KeptClient {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly authMethod?: string | undefined;
  /** Management of a dynamically registered client. Undefined when unsupported. */
  readonly registration?: KeptRegistration | undefined;
}

/** Data for managing a registration (RFC 7592). */
export interface KeptRegistration {
  readonly url: string;
  readonly token: string;
  /** Undefined for a secret without expiry. */
  readonly secretExpiresAt: Date | undefined;
  /** The registered redirect URI. */
  readonly redirectUri: string;
}

export interface KeptLogin {
  readonly issuer: string;
  /** Values that the user specified besides the server. They do not take part in metadata discovery. */
  readonly named: {
    readonly issuer: string | undefined;
    readonly authorizeUrl: string | undefined;
    readonly tokenUrl: string | undefined;
  };
  /** RFC 8707. Empty when token requests contain none. */
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  /** The logged-in user. Undefined when the server does not report it. */
  readonly subject: string | undefined;
  readonly client: KeptClient;
  readonly refreshToken: string | undefined;
  /** Access token from a server that issues no refresh tokens, valid until `expiresAt`. */
  readonly accessToken: string | undefined;
  readonly expiresAt: Date | undefined;
}
