import { isSubpath } from '@portolan/outbound';
import { isJsonObject } from '@portolan/plugin-api';
import { OWN_PARAMETERS } from '../login/own-parameters.ts';
import { textsOf } from '../web/texts-of.ts';
import { discoveryFailed, discoveryRefused } from '../errors.ts';
import { findAddressFault } from '../web/find-address-fault.ts';
import type { OauthWeb } from '../web/oauth-web.ts';

/** Metadata of a remote (RFC 9728, section 2). */
export interface DiscoveredResource {
  /** Resource as published, which token requests contain unchanged. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[];
  /** Login clients that a registry publishes (`portolan_login`). */
  readonly logins: readonly PublishedLogin[];
}

export interface PublishedLogin {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[] | undefined;
  readonly token: TokenChoice;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Some providers issue access tokens only for themselves; their ID tokens identify the user. */
export type TokenChoice = 'access_token' | 'id_token';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const MAX_SERVERS = 20;

/**
 * Returns metadata from the challenge, the well-known location of the path, or that without a path; undefined
 * for a server of 2025-03-26. Throws ERR_LOGIN_UNTRUSTED for a document about another server, and
 * ERR_LOGIN_DISCOVERY when the challenge's is unavailable.
 */
export async function findProtectedResource(
  remote: URL,
  named: string | undefined,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<DiscoveredResource | undefined> {
  for (const address of named === undefined ? placesOf(remote) : [named]) {
    const document = await web.document(address, 'the protected resource metadata', signal);
    if (document === undefined) continue;
    const { resource } = document;
    if (typeof resource !== 'string' || !isOf(resource, remote)) {
      const shown = typeof resource === 'string' ? JSON.stringify(resource.slice(0, 200)) : 'no resource';
      throw discoveryRefused(
        `the metadata of ${remote.origin} is about ${shown}, and not about ${remote.href}`,
      );
    }
    return {
      resource,
      authorizationServers: textsOf(document['authorization_servers']).slice(0, MAX_SERVERS),
      scopes: textsOf(document['scopes_supported']),
      logins: loginsIn(document['portolan_login']),
    };
  }
  if (named === undefined) return undefined;
  const outage = web.findOutage(named);
  throw discoveryFailed(
    outage === undefined
      ? `${remote.origin} names its metadata, and there is none at that address`
      : `${remote.origin} names its metadata at ${new URL(named).origin}, which cannot be reached: ${outage}`,
  );
}

function loginsIn(list: unknown): readonly PublishedLogin[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_SERVERS).flatMap((item: unknown) => {
    if (!isJsonObject(item)) return [];
    const { issuer, client_id: clientId, scopes, parameters } = item;
    if (typeof issuer !== 'string' || typeof clientId !== 'string' || clientId === '') return [];
    const more = isJsonObject(parameters) ? Object.entries(parameters) : [];
    return [
      {
        issuer,
        clientId,
        scopes: Array.isArray(scopes) ? textsOf(scopes) : undefined,
        token: item['token'] === 'id_token' ? 'id_token' : 'access_token',
        parameters: Object.fromEntries(
          more.filter(isText).filter(([name]) => !OWN_PARAMETERS.includes(name)),
        ),
      },
    ];
  });
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

function placesOf(remote: URL): readonly string[] {
  const path = remote.pathname === '/' ? '' : remote.pathname.replace(/\/$/, '');
  const root = `${remote.origin}${WELL_KNOWN}`;
  return path === '' ? [root] : [root + path, root];
}

/** Returns whether a resource is the remote or a parent of it, at a segment boundary. */
function isOf(resource: string, remote: URL): boolean {
  if (findAddressFault(resource) !== undefined) return false;
  const url = new URL(resource);
  return isSubpath(remote, url) && (url.search === '' || url.search === remote.search);
}
