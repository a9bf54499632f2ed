import { discoveryFailed } from '../errors.ts';
import type { OauthWeb } from '../web/oauth-web.ts';
import { type AuthorizationServer, requirePkce } from './find-authorization-server.ts';
import { canonicalResource, describedServer, scopesOf } from './find-login.ts';
import { findProtectedResource, type TokenChoice } from './find-protected-resource.ts';
import type { Challenge } from './parse-challenge.ts';

/** What the user has said about where to log in to a registry; undefined is left to the registry. */
export interface NamedClient {
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  /** Who tokens are to be for. */
  readonly audience: string | undefined;
  readonly scopes: readonly string[] | undefined;
}

/** Where somebody logs in to a registry, and as which client. */
export interface FoundClient {
  readonly server: AuthorizationServer;
  /** Undefined: nobody names one, and it is to be registered. */
  readonly clientId: string | undefined;
  /** Sent with every request for a token (RFC 8707). */
  readonly resource: string;
  /** What tokens may be sent to: the resource that the registry says it is, else the address that was asked. */
  readonly address: URL;
  readonly scopes: readonly string[] | undefined;
  readonly token: TokenChoice;
  /** More parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Where to log in to a registry, and as whom: each as the user names it, else as
 * the registry publishes it beside its metadata (RFC 9728, `portolan_login`),
 * else as the metadata alone says. Throws ERR_LOGIN_DISCOVERY where none of them
 * names an authorization server, and ERR_LOGIN_UNTRUSTED.
 */
export async function findPublishedLogin(
  registry: URL,
  named: NamedClient,
  challenge: Challenge['parameters'],
  web: OauthWeb,
  signal: AbortSignal,
): Promise<FoundClient> {
  const found = await findProtectedResource(registry, challenge.get('resource_metadata'), web, signal);
  const logins = found?.logins ?? [];
  const published = logins.find(({ issuer }) => named.issuer === undefined || issuer === named.issuer);
  const issuer = named.issuer ?? published?.issuer ?? found?.authorizationServers[0];
  if (issuer === undefined) throw discoveryFailed(`${registry.href} names no authorization server`);
  const server = await describedServer(issuer, web, signal);
  const clientId = named.clientId ?? published?.clientId;
  requirePkce(server, clientId);
  const address = new URL(found?.resource ?? registry);
  const { audience } = named;
  return {
    server,
    clientId,
    resource:
      audience !== undefined && URL.canParse(audience)
        ? audience
        : (found?.resource ?? canonicalResource(registry)),
    address,
    token: published?.token ?? 'access_token',
    parameters: { ...published?.parameters, ...(audience === undefined ? {} : { audience }) },
    scopes: named.scopes ?? published?.scopes ?? scopesOf(challenge, found?.scopes ?? [], server),
  };
}
