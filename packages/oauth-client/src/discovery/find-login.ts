import { isPortolanError } from '@portolan/plugin-api';
import { discoveryFailed, tokenUnavailable } from '../errors.ts';
import type { OauthWeb } from '../web/oauth-web.ts';
import {
  assumedServer,
  type AuthorizationServer,
  findAuthorizationServer,
  namedServer,
  placesOf,
  requirePkce,
} from './find-authorization-server.ts';
import { findProtectedResource, type DiscoveredResource } from './find-protected-resource.ts';
import { type Challenge, findBearerChallenge } from './parse-challenge.ts';

export interface NamedLogin {
  readonly issuer: string | undefined;
  /** Client id. Undefined: register a client (RFC 7591). */
  readonly clientId: string | undefined;
  readonly authorizeUrl: string | undefined;
  readonly tokenUrl: string | undefined;
  /**
   * Resource for token requests (RFC 8707). An empty text sends no resource, for servers that reject the
   * parameter (Microsoft Entra, AADSTS9010010).
   */
  readonly resource: string | undefined;
  readonly scopes: readonly string[] | undefined;
}

export interface DiscoveredLogin {
  readonly server: AuthorizationServer;
  /** Resource of every token request (RFC 8707), if one is sent. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[] | undefined;
}

/**
 * Returns where to log in: as the user named, as the remote's metadata says, or at its own host. Throws
 * ERR_LOGIN_DISCOVERY and ERR_LOGIN_UNTRUSTED.
 */
export async function findLogin(
  remote: URL,
  named: NamedLogin,
  challenge: Challenge['parameters'],
  web: OauthWeb,
  signal: AbortSignal,
): Promise<DiscoveredLogin> {
  const { authorizeUrl, tokenUrl } = named;
  const own = canonicalResource(remote);
  if (authorizeUrl !== undefined && tokenUrl !== undefined) {
    const server = namedServer(authorizeUrl, tokenUrl, named.issuer);
    const resource = await resourceOrNothing(remote, challenge, web, signal);
    const scopes = named.scopes ?? scopesOf(challenge, resource?.scopes ?? [], server);
    return { server, resource: nonEmpty(named.resource ?? own), scopes };
  }
  const resource = await resourceOf(remote, named, challenge, web, signal);
  const server = await serverOf(remote, named.issuer, resource?.authorizationServers ?? [], web, signal);
  requirePkce(server, named.clientId);
  return {
    server,
    resource: nonEmpty(named.resource ?? resource?.resource ?? own),
    scopes: named.scopes ?? scopesOf(challenge, resource?.scopes ?? [], server),
  };
}

function nonEmpty(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/**
 * Returns the remote's resource metadata. Undefined when it is unavailable and the user configured the login.
 */
async function resourceOf(
  remote: URL,
  { issuer }: NamedLogin,
  challenge: Challenge['parameters'],
  web: OauthWeb,
  signal: AbortSignal,
): Promise<DiscoveredResource | undefined> {
  try {
    return await findProtectedResource(remote, challenge.get('resource_metadata'), web, signal);
  } catch (error) {
    const isGone = isPortolanError(error) && error.code === 'ERR_LOGIN_DISCOVERY';
    if (isGone && issuer !== undefined) return undefined;
    throw error;
  }
}

/**
 * Ignores faults in the metadata of a remote whose endpoints the user named, because only its scopes are
 * used.
 */
async function resourceOrNothing(
  remote: URL,
  challenge: Challenge['parameters'],
  web: OauthWeb,
  signal: AbortSignal,
): Promise<DiscoveredResource | undefined> {
  try {
    return await findProtectedResource(remote, challenge.get('resource_metadata'), web, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isPortolanError(error)) throw error;
    return undefined;
  }
}

/**
 * Returns the configured server if it is listed or none is; otherwise the remote's first; otherwise its own
 * host (2025-03-26).
 */
async function serverOf(
  remote: URL,
  configured: string | undefined,
  listed: readonly string[],
  web: OauthWeb,
  signal: AbortSignal,
): Promise<AuthorizationServer> {
  const issuer = configured ?? listed[0];
  if (issuer === undefined) {
    return (await findAuthorizationServer(remote.origin, web, signal)) ?? assumedServer(remote);
  }
  return await describedServer(issuer, web, signal);
}

export async function describedServer(
  issuer: string,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<AuthorizationServer> {
  const server = await findAuthorizationServer(issuer, web, signal);
  if (server === undefined) throw discoveryFailed(whyNoServer(issuer, web));
  return server;
}

/**
 * Returns the scopes of the challenge, else of the remote's metadata, else the default of OpenID Connect. A
 * server that lists scopes gets only those, and always `openid`; where it lists `offline_access`, that gets a
 * refresh token.
 */
export function scopesOf(
  challenge: Challenge['parameters'],
  ofResource: readonly string[],
  { scopes: ofServer, isOpenid = false }: Pick<AuthorizationServer, 'scopes' | 'isOpenid'>,
): readonly string[] | undefined {
  const requested = (challenge.get('scope')?.split(' ') ?? ofResource).filter(isScope).slice(0, MAX_SCOPES);
  const isListed = (scope: string): boolean =>
    ofServer.length === 0 || scope === 'openid' || ofServer.includes(scope);
  const usual = isOpenid ? OIDC_SCOPES.filter(isListed) : [];
  const chosen = requested.length === 0 ? usual : requested;
  const renewable =
    ofServer.includes('offline_access') && !chosen.includes('offline_access')
      ? [...chosen, 'offline_access']
      : chosen;
  return renewable.length === 0 ? undefined : renewable;
}

/**
 * Returns the scopes that a rejected request lacked (RFC 6750, section 3.1); undefined for another challenge.
 */
export function missingScopes(challenge: string | null | undefined): readonly string[] | undefined {
  const challengeValues = findBearerChallenge(challenge);
  if (challengeValues?.get('error') !== 'insufficient_scope') return undefined;
  return (challengeValues.get('scope') ?? '').split(' ').filter(isScope).slice(0, MAX_SCOPES);
}

function isScope(text: string): boolean {
  return /^[!#-[\]-~]{1,200}$/.test(text);
}

const MAX_SCOPES = 200;

const OIDC_SCOPES = ['openid', 'profile', 'email'];

/** Returns the address without fragment, and without the slash after a bare host (RFC 8707, section 2). */
export function canonicalResource(remote: URL): string {
  const url = new URL(remote);
  url.hash = '';
  return url.pathname === '/' && url.search === '' ? url.origin : url.href;
}

/**
 * Finds the server of an earlier login. Uses fixed paths only when the server confirms that it has no
 * metadata, so that a refresh token never goes to a guessed address. Otherwise throws ERR_LOGIN_TOKEN; also
 * ERR_LOGIN_DISCOVERY and ERR_LOGIN_UNTRUSTED.
 */
export async function serverAt(
  issuer: string,
  { issuer: named, authorizeUrl, tokenUrl }: Pick<NamedLogin, 'issuer' | 'authorizeUrl' | 'tokenUrl'>,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<AuthorizationServer> {
  if (authorizeUrl !== undefined && tokenUrl !== undefined) return namedServer(authorizeUrl, tokenUrl, named);
  const described = await findAuthorizationServer(issuer, web, signal);
  if (described !== undefined) return described;
  const url = new URL(issuer);
  if (!(await saysItHasNone(url, web, signal))) throw tokenUnavailable(whyNoServer(issuer, web));
  return assumedServer(url);
}

/** Returns whether the root of a server's host responds normally, without metadata (2025-03-26). */
async function saysItHasNone(issuer: URL, web: OauthWeb, signal: AbortSignal): Promise<boolean> {
  if (issuer.pathname !== '/') return false;
  const [place = issuer.href] = placesOf(issuer);
  try {
    const { status } = await web.ask(new URL(place), { method: 'GET', headers: {} }, signal);
    return status < 500 && status !== 429;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/** An unavailable server has not confirmed that it has no metadata. */
function whyNoServer(issuer: string, web: OauthWeb): string {
  const outage = web.findOutage(issuer);
  return outage === undefined
    ? `the authorization server ${issuer} has no metadata`
    : `the authorization server ${issuer} cannot be reached: ${outage}`;
}
