import { liesBelow } from '@portolan/outbound';
import { isJsonObject } from '@portolan/plugin-api';
import { OWN_PARAMETERS } from '../login/own-parameters.ts';
import { textsOf } from '../web/texts-of.ts';
import { discoveryFailed, discoveryRefused } from '../errors.ts';
import { findAddressFault } from '../web/find-address-fault.ts';
import type { OauthWeb } from '../web/oauth-web.ts';

/** What a remote says of itself (RFC 9728, section 2). */
export interface ProtectedResourceFound {
  /** As it stands there: tokens are asked for exactly that. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  /** Empty where it names none. */
  readonly scopes: readonly string[];
  /** How people log in to a registry, as it publishes that beside (`portolan_login`); empty where it does not. */
  readonly logins: readonly PublishedLogin[];
}

/** A client that people who use a registry's commands log in with. */
export interface PublishedLogin {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: none are named. */
  readonly scopes: readonly string[] | undefined;
  /** Which of the tokens of a login the registry takes. */
  readonly token: TokenChoice;
  /** More parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Some providers give access tokens for themselves alone; their ID tokens tell who somebody is. */
export type TokenChoice = 'access_token' | 'id_token';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const MAX_SERVERS = 20;

/**
 * The metadata of a remote: where its challenge says, else at the well-known
 * place of its path, else without path; undefined where it has none (a server
 * of 2025-03-26). Throws ERR_LOGIN_UNTRUSTED where the document speaks of
 * another server, and ERR_LOGIN_DISCOVERY where the challenge names one that
 * cannot be had.
 */
export async function findProtectedResource(
  remote: URL,
  named: string | undefined,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<ProtectedResourceFound | undefined> {
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

/** What is no login in the list is passed over. */
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

/** Whether a resource is the remote, or what it lies below, at the border of a segment. */
function isOf(resource: string, remote: URL): boolean {
  if (findAddressFault(resource) !== undefined) return false;
  const url = new URL(resource);
  return liesBelow(remote, url) && (url.search === '' || url.search === remote.search);
}
