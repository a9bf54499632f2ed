import { discoveryFailed } from '../errors.ts';
import type { OauthWeb } from '../web/oauth-web.ts';
import { type AuthorizationServer, requirePkce } from './find-authorization-server.ts';
import { canonicalResource, describedServer, scopesOf } from './find-login.ts';
import { findProtectedResource, type TokenChoice } from './find-protected-resource.ts';
import type { Challenge } from './parse-challenge.ts';

export interface NamedClient {
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  readonly audience: string | undefined;
  readonly scopes: readonly string[] | undefined;
}

export interface ClientLogin {
  readonly server: AuthorizationServer;
  /** Client id. Undefined: register a client. */
  readonly clientId: string | undefined;
  /** Resource of every token request (RFC 8707). */
  readonly resource: string;
  /** Address that tokens may be sent to: the published resource, otherwise the requested address. */
  readonly address: URL;
  readonly scopes: readonly string[] | undefined;
  readonly token: TokenChoice;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Returns where to log in, and as which client: as the user names it, or as the registry publishes it
 * (`portolan_login` in RFC 9728 metadata). Throws ERR_LOGIN_DISCOVERY and ERR_LOGIN_UNTRUSTED.
 */
export async function findPublishedLogin(
  registry: URL,
  named: NamedClient,
  challenge: Challenge['parameters'],
  web: OauthWeb,
  signal: AbortSignal,
): Promise<ClientLogin> {
  const protectedResource = await findProtectedResource(
    registry,
    challenge.get('resource_metadata'),
    web,
    signal,
  );
  const logins = protectedResource?.logins ?? [];
  const published = logins.find(({ issuer }) => named.issuer === undefined || issuer === named.issuer);
  const issuer = named.issuer ?? published?.issuer ?? protectedResource?.authorizationServers[0];
  if (issuer === undefined) throw discoveryFailed(`${registry.href} names no authorization server`);
  const server = await describedServer(issuer, web, signal);
  const clientId = named.clientId ?? published?.clientId;
  requirePkce(server, clientId);
  const address = new URL(protectedResource?.resource ?? registry);
  const { audience } = named;
  return {
    server,
    clientId,
    resource:
      audience !== undefined && URL.canParse(audience)
        ? audience
        : (protectedResource?.resource ?? canonicalResource(registry)),
    address,
    token: published?.token ?? 'access_token',
    parameters: { ...published?.parameters, ...(audience === undefined ? {} : { audience }) },
    scopes: named.scopes ?? published?.scopes ?? scopesOf(challenge, protectedResource?.scopes ?? [], server),
  };
}
