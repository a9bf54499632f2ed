import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { OutgoingCredentials } from '../server-backend.ts';
import type { Kind } from './kind.ts';

/**
 * Proves to a server of others who is asking it, whoever the client is: a login,
 * a signature. What depends on who asks, such as a token that is exchanged, is
 * `credentials` of proxy middleware.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface OutgoingCredentialsKind<Block extends ConfigBlock = any>
  extends Kind<Block, OutgoingCredentials> {
  create(
    config: ConfigOf<Block>,
    context: OutgoingCredentialsContext,
  ): OutgoingCredentials | Promise<OutgoingCredentials>;
}

/** What a kind of outgoing credentials may use beside what every plugin may. */
export interface OutgoingCredentialsContext extends PluginContext, OutgoingCredentialsSurroundings {}

/** What the host of a workload tells a kind of outgoing credentials. */
export interface OutgoingCredentialsSurroundings {
  readonly server: RemoteServer;
  /** As `ProxySurroundings.secret`: of a secret that the run config names. */
  readonly secret: (reference: string) => string;
  /** Says in the workload's status how it stands; said once for each change. */
  readonly changed: (state: CredentialsState) => void;
  /** The login that the command keeps for the workload. */
  readonly login: WorkloadLogin;
}

/** The server that credentials are for. */
export interface RemoteServer {
  /** Name of its workload. */
  readonly workload: string;
  /** As the user or the registry has it. */
  readonly url: URL;
}

/** How it stands with credentials. */
export type CredentialsState =
  | { readonly is: 'good' }
  /** None can be had at the moment. */
  | { readonly is: 'retrying'; readonly why: string }
  /** None can be had until somebody does something about it. */
  | { readonly is: 'over'; readonly why: string };

/**
 * A login of people at an authorization server. It is made by commands, in front
 * of whoever logs in; what is left of it stands in the secret store.
 */
export interface WorkloadLogin {
  /** Whether somebody was logged in when the workload was started. */
  readonly isThere: boolean;
  /** The access token that the login just before the start has brought. */
  readonly handed: HandedToken | undefined;
  /** What is kept now; undefined where nobody is logged in. Throws what the secret store throws. */
  read(signal: AbortSignal): Promise<KeptLogin | undefined>;
  /** Keeps what a renewal has brought in the place of what was kept. Throws what the secret store throws. */
  keep(renewed: RenewedLogin, signal: AbortSignal): Promise<void>;
  /** Keeps a client that was renewed at its server in the place of what was kept of it. Throws what the secret store throws. */
  keepClient(client: KeptClient, signal: AbortSignal): Promise<void>;
  /** Does what changes it while nobody else does: no login, no logout, no other process. */
  alone<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value>;
  /** Calls back when somebody has logged in or out meanwhile. What is returned ends that. */
  onChange(then: () => Promise<void>): () => void;
  /** Says which scopes requests lack; none, once they may be there. */
  lacks(scopes: readonly string[]): void;
  /**
   * Has whoever sits at the terminal log in for these scopes as well; `onChange` has called back when it
   * resolves. Undefined where nobody can be asked. Rejects where that comes to nothing.
   */
  readonly stepUp: ((scopes: readonly string[]) => Promise<void>) | undefined;
}

/** An access token that another process has got. */
export interface HandedToken {
  readonly accessToken: string;
  /** Undefined where nobody knows. */
  readonly expiresAt: Date | undefined;
  /** Whether a refresh token came with it, which is kept. */
  readonly isRenewed: boolean;
}

/** What a renewal has brought. */
export interface RenewedLogin {
  /** In the place of the one before; undefined: that one is still good. */
  readonly refreshToken: string | undefined;
  /** When the new access token ends; undefined where nobody knows. */
  readonly expiresAt: Date | undefined;
  /** Undefined: as before. */
  readonly scopes: readonly string[] | undefined;
  readonly subject: string | undefined;
}

/** A client of an authorization server. */
export interface KeptClient {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly authMethod?: string | undefined;
  /** Of one that was registered for the login; undefined where nothing looks after it. */
  readonly registration?: KeptRegistration | undefined;
}

/** With what a registration is looked after (RFC 7592). */
export interface KeptRegistration {
  readonly url: string;
  readonly token: string;
  /** Undefined where the secret does not end. */
  readonly secretExpiresAt: Date | undefined;
  /** The one that was registered. */
  readonly redirectUri: string;
}

/** What is kept of a login. */
export interface KeptLogin {
  readonly issuer: string;
  /** What the user has named beside the server; metadata is looked for without them. */
  readonly named: {
    readonly issuer: string | undefined;
    readonly authorizeUrl: string | undefined;
    readonly tokenUrl: string | undefined;
  };
  /** Resource that tokens are for (RFC 8707); empty where requests for tokens name none. */
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  /** Who has logged in; undefined where the server does not say. */
  readonly subject: string | undefined;
  /** As which client of the authorization server. */
  readonly client: KeptClient;
  readonly refreshToken: string | undefined;
  /** Of a server that gives no refresh token; then it is good until `expiresAt`. */
  readonly accessToken: string | undefined;
  readonly expiresAt: Date | undefined;
}
