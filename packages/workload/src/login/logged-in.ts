import type { DiscoveredLogin, TokenSet } from '@portolan/oauth-client';
import { type RunConfig, type StoredLogin, withLogin } from '@portolan/run-spec';
import type { LoginDone } from './login-flow.ts';
import { referenceTo, secretsOfLogin } from './stored-login.ts';

export interface LoggedIn {
  /** Whether this is an earlier login that was renewed without the user. */
  readonly isEarlier: boolean;
  /** Run config that refers to the login's secrets by name. The caller must store `secrets` first. */
  readonly config: RunConfig;
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  readonly tokens: TokenSet;
}

export function loggedIn(
  config: RunConfig,
  foundLogin: DiscoveredLogin,
  { provided, isDocument, tokens }: LoginDone,
): LoggedIn {
  const { name } = config;
  const { registered, client, listener } = provided;
  const login: StoredLogin = {
    issuer: foundLogin.server.issuer,
    resource: foundLogin.resource ?? '',
    scopes: tokens.scopes ?? foundLogin.scopes,
    subject: tokens.subject,
    clientId: client.clientId,
    usesDocument: isDocument,
    clientSecret:
      registered?.clientSecret === undefined ? undefined : referenceTo('OAUTH_CLIENT_SECRET', name),
    accessToken: tokens.refreshToken === undefined ? referenceTo('OAUTH_ACCESS_TOKEN', name) : undefined,
    refreshToken: tokens.refreshToken === undefined ? undefined : referenceTo('OAUTH_REFRESH_TOKEN', name),
    registrationToken:
      registered?.management === undefined ? undefined : referenceTo('OAUTH_REG_TOKEN', name),
    registrationUri: registered?.management?.url,
    secretExpiresAt: registered?.secretExpiresAt?.toISOString(),
    authMethod: registered?.authMethod,
    callbackPort: registered === undefined ? undefined : Number(new URL(listener.redirectUri).port),
    expiresAt: tokens.expiresAt?.toISOString(),
  };
  return {
    config: withLoginIn(config, login),
    secrets: secretsOfLogin(name, tokens, registered),
    tokens,
    isEarlier: false,
  };
}

export function withLoginIn(config: RunConfig, login: StoredLogin): RunConfig {
  return {
    ...config,
    remote_auth_config: { ...withLogin(config.remote_auth_config, login), enabled: true },
  };
}
