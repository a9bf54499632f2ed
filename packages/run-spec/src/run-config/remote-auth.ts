import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, memberOf } from '../document/json-members.ts';
import { findSecretReference } from '../parse/secret-reference.ts';
import type { RunConfig } from './run-config.ts';

/** Parsed `remote_auth_config`, with references in place of secrets. */
export interface RemoteAuth {
  /**
   * True: always log in. False: never. Undefined: log in when the server requires it and a user is present.
   */
  readonly isWanted: boolean | undefined;
  readonly bearerToken: string | undefined;
  readonly bearerTokenFile: string | undefined;
  readonly issuer: string | undefined;
  readonly authorizeUrl: string | undefined;
  readonly tokenUrl: string | undefined;
  readonly clientId: string | undefined;
  /** Whether the client ID comes from a registry entry. Then no client secret of the environment is sent. */
  readonly isPublishedClient: boolean;
  readonly clientSecret: string | undefined;
  readonly clientSecretFile: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly scopeParamName: string;
  /** Resource in token requests (RFC 8707). Empty: none. Undefined: the one that the remote server states. */
  readonly resource: string | undefined;
  readonly callbackPort: number | undefined;
  readonly skipsBrowser: boolean;
  /** Timeout of a login; undefined when not set, which allows the user to extend it. */
  readonly timeoutMs: number | undefined;
  readonly extra: Readonly<Record<string, string>>;
  readonly login: StoredLogin | undefined;
}

export interface StoredLogin {
  /** Issuer of the tokens; undefined in files of other tools, which do not record it. */
  readonly issuer: string | undefined;
  /** Resource in token requests; empty when they contain none. */
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  readonly subject: string | undefined;
  readonly clientId: string;
  /** Whether the client ID is the address of a client metadata document. */
  readonly usesDocument: boolean;
  readonly clientSecret: string | undefined;
  /** Access token without a refresh token; valid until `expiresAt`. */
  readonly accessToken: string | undefined;
  readonly refreshToken: string | undefined;
  readonly registrationToken: string | undefined;
  readonly registrationUri: string | undefined;
  readonly secretExpiresAt: string | undefined;
  readonly authMethod: string | undefined;
  readonly callbackPort: number | undefined;
  readonly expiresAt: string | undefined;
}

/** Parses `remote_auth_config`. A value of the wrong type counts as absent. */
export function remoteAuthOf({
  remote_auth_config: document,
}: Pick<RunConfig, 'remote_auth_config'>): RemoteAuth {
  const text = (key: string): string | undefined => {
    const value = memberOf(document, key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const count = (key: string): number | undefined => {
    const value = memberOf(document, key);
    return typeof value === 'number' && value > 0 ? value : undefined;
  };
  const enabled = memberOf(document, 'enabled');
  const timeout = memberOf(document, 'timeout');
  const extra = memberOf(document, 'oauth_params');
  const resource = memberOf(document, 'resource');
  const asks = ASKING.some((key) => text(key) !== undefined);
  return {
    isWanted: typeof enabled === 'boolean' ? enabled : asks ? true : undefined,
    bearerToken: text('bearer_token'),
    bearerTokenFile: text('bearer_token_file'),
    issuer: text('issuer'),
    authorizeUrl: text('authorize_url'),
    tokenUrl: text('token_url'),
    clientId: text('client_id'),
    isPublishedClient: memberOf(document, 'published_client') === true,
    clientSecret: text('client_secret'),
    clientSecretFile: text('client_secret_file'),
    scopes: textsAt(document, 'scopes'),
    scopeParamName: text('scope_param_name') ?? 'scope',
    resource: typeof resource === 'string' ? resource : undefined,
    callbackPort: count('callback_port'),
    skipsBrowser: memberOf(document, 'skip_browser') === true,
    timeoutMs: typeof timeout === 'number' && timeout >= 0 ? timeout / NANOSECONDS : undefined,
    extra: isJsonObject(extra) ? textsIn(extra) : {},
    login: loginOf(document, text, count),
  };
}

/** Returns `remote_auth_config` with the stored result of a login; undefined removes the result. */
export function withLogin(document: JsonObject | undefined, login: StoredLogin | undefined): JsonObject {
  const remaining = Object.entries(document ?? {}).filter(([key]) => !key.startsWith('cached_'));
  const fields =
    login === undefined
      ? {}
      : {
          cached_issuer: login.issuer,
          cached_resource: login.resource,
          cached_scopes: login.scopes,
          cached_subject: login.subject,
          ...(login.usesDocument
            ? { cached_cimd_client_id: login.clientId }
            : { cached_client_id: login.clientId }),
          cached_client_secret_ref: login.clientSecret,
          cached_access_token_ref: login.accessToken,
          cached_refresh_token_ref: login.refreshToken,
          cached_token_expiry: login.expiresAt,
          cached_reg_token_ref: login.registrationToken,
          cached_reg_client_uri: login.registrationUri,
          cached_secret_expiry: login.secretExpiresAt,
          cached_token_auth_method: login.authMethod,
          cached_dcr_callback_port: login.callbackPort,
        };
  return Object.fromEntries([
    ...remaining,
    ...Object.entries(fields).filter(([, value]) => value !== undefined),
  ]);
}

const NANOSECONDS = 1_000_000;

/** Keys whose presence requires a login. */
const ASKING = [
  'issuer',
  'authorize_url',
  'token_url',
  'client_id',
  'cached_client_id',
  'cached_refresh_token_ref',
  'cached_cimd_client_id',
];

function loginOf(
  document: JsonObject | undefined,
  text: (key: string) => string | undefined,
  count: (key: string) => number | undefined,
): StoredLogin | undefined {
  const ofDocument = text('cached_cimd_client_id');
  const clientId = text('cached_client_id') ?? ofDocument ?? text('client_id');
  const issuer = text('cached_issuer') ?? text('issuer');
  const refreshToken = text('cached_refresh_token_ref');
  const isKnown = [text('cached_client_id'), ofDocument, refreshToken].some((known) => known !== undefined);
  if (clientId === undefined || !isKnown) return undefined;
  return {
    issuer,
    resource: text('cached_resource') ?? text('resource') ?? '',
    scopes: textsAt(document, 'cached_scopes'),
    subject: text('cached_subject'),
    clientId,
    usesDocument: clientId === ofDocument,
    clientSecret: text('cached_client_secret_ref'),
    accessToken: text('cached_access_token_ref'),
    refreshToken,
    registrationToken: text('cached_reg_token_ref'),
    registrationUri: text('cached_reg_client_uri'),
    secretExpiresAt: text('cached_secret_expiry'),
    authMethod: text('cached_token_auth_method'),
    callbackPort: count('cached_dcr_callback_port'),
    expiresAt: text('cached_token_expiry'),
  };
}

function textsAt(document: JsonObject | undefined, key: string): readonly string[] | undefined {
  const value: unknown = memberOf(document, key);
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.filter((item): item is string => typeof item === 'string');
}

function textsIn(map: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(map).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}

/** Returns the problems of `remote_auth_config`, including those of a stored login. */
export function findRemoteAuthFaults(config: Pick<RunConfig, 'remote_auth_config'>): readonly string[] {
  const auth = remoteAuthOf(config);
  const isHalf = (auth.authorizeUrl === undefined) !== (auth.tokenUrl === undefined);
  const { accessToken, refreshToken, clientSecret, registrationToken } = auth.login ?? {};
  const references = [accessToken, refreshToken, clientSecret, registrationToken];
  return [
    ...(isHalf ? ['remote_auth_config: expected authorize_url and token_url together'] : []),
    ...(references.some((text) => text !== undefined && findSecretReference(text) === undefined)
      ? ['remote_auth_config: expected references, NAME,target=TARGET, for what a login has left']
      : []),
  ];
}
