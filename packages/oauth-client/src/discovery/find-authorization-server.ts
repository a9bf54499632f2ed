import { namesTenantTemplate } from '@portolan/outbound';
import type { JsonObject } from '@portolan/plugin-api';
import type { ServerMetadata } from 'openid-client';
import { discoveryFailed, discoveryRefused, pkceNotAnnounced } from '../errors.ts';
import { findAddressFault } from '../web/find-address-fault.ts';
import type { OauthWeb } from '../web/oauth-web.ts';
import { textsOf } from '../web/texts-of.ts';

export interface AuthorizationServer {
  readonly issuer: string;
  /** Metadata (RFC 8414, section 2) whose used addresses were checked. */
  readonly metadata: ServerMetadata;
  readonly scopes: readonly string[];
  /** Whether the metadata is an OpenID configuration, so that OpenID Connect scopes are supported. */
  readonly isOpenid?: boolean;
  /**
   * Whether the issuer is unknown, because the user named only the endpoints. That is acceptable, because
   * codes only go to the named endpoint.
   */
  readonly isUnknown?: boolean;
}

const NAME_THE_TENANT =
  'It is the address for any tenant. Name the tenant: --remote-auth-issuer https://login.microsoftonline.com/TENANT-ID/v2.0 for a workload, --issuer for a registry.';

const OPTIONAL_ADDRESSES = [
  'registration_endpoint',
  'device_authorization_endpoint',
  'revocation_endpoint',
] as const;

/**
 * Returns metadata from the locations of RFC 8414 and OpenID Connect discovery, if there is any. Throws
 * ERR_LOGIN_UNTRUSTED for another issuer, or addresses that must not receive secrets.
 */
export async function findAuthorizationServer(
  issuer: string,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<AuthorizationServer | undefined> {
  const fault = findAddressFault(issuer);
  if (fault !== undefined) throw discoveryRefused(`the authorization server that is named ${fault}`);
  for (const place of placesOf(new URL(issuer))) {
    const document = await web.document(place, 'the metadata of the authorization server', signal);
    if (document !== undefined)
      return checkServer(issuer, document, web, place.endsWith('/openid-configuration'));
  }
  return undefined;
}

/**
 * Throws ERR_LOGIN_UNTRUSTED without PKCE with S256. Some servers announce no method and support S256
 * (Microsoft Entra, Amazon Cognito): a client that the user named may use those.
 */
export function requirePkce(
  { issuer, metadata }: AuthorizationServer,
  namedClient: string | undefined,
): void {
  const methods = metadata.code_challenge_methods_supported;
  if (textsOf(methods).includes('S256') || (methods === undefined && namedClient !== undefined)) return;
  throw pkceNotAnnounced(issuer, methods === undefined);
}

export function placesOf({ origin, pathname }: URL): readonly string[] {
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '');
  const root = `${origin}/.well-known`;
  const places = [`${root}/oauth-authorization-server${path}`, `${root}/openid-configuration${path}`];
  return path === '' ? places : [...places, `${origin}${path}/.well-known/openid-configuration`];
}

function checkServer(
  issuer: string,
  metadata: JsonObject,
  web: OauthWeb,
  isConfiguration: boolean,
): AuthorizationServer {
  const published = metadata['issuer'];
  // Exact comparison: an additional slash makes another issuer (RFC 8414, section 3.3).
  if (published !== issuer) {
    const shown = typeof published === 'string' ? JSON.stringify(published.slice(0, 200)) : 'no issuer';
    throw discoveryRefused(
      `the metadata of ${issuer} is about ${shown}`,
      namesTenantTemplate(published) ? NAME_THE_TENANT : undefined,
    );
  }
  const faults = {
    authorization_endpoint: web.findPageFault(metadata['authorization_endpoint']),
    token_endpoint: findAddressFault(metadata['token_endpoint']),
  };
  for (const [name, fault] of Object.entries(faults)) {
    if (fault !== undefined) throw discoveryRefused(`the ${name} of ${issuer} ${fault}`);
  }
  for (const name of OPTIONAL_ADDRESSES) {
    const fault = metadata[name] === undefined ? undefined : findAddressFault(metadata[name]);
    if (fault !== undefined) throw discoveryRefused(`the ${name} of ${issuer} ${fault}`);
  }
  // SAFETY: it was parsed from JSON, and its used parts were checked; the library checks again.
  const checked = { ...metadata, issuer } as ServerMetadata;
  const scopes = textsOf(metadata['scopes_supported']);
  // Many providers serve their OpenID configuration at both locations.
  const isOpenid =
    isConfiguration ||
    scopes.includes('openid') ||
    metadata['id_token_signing_alg_values_supported'] !== undefined;
  return { issuer, metadata: checked, scopes, isOpenid };
}

/** Returns a server of 2025-03-26 without metadata: the remote itself, with fixed paths. */
export function assumedServer({ origin }: URL): AuthorizationServer {
  return {
    issuer: origin,
    metadata: {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
    },
    scopes: [],
  };
}

/**
 * Returns a server that the user named by its endpoints. Throws ERR_LOGIN_DISCOVERY for an unusable address.
 */
export function namedServer(
  authorizeUrl: string,
  tokenUrl: string,
  named: string | undefined,
): AuthorizationServer {
  for (const [name, text] of [
    ['--remote-auth-authorize-url', authorizeUrl],
    ['--remote-auth-token-url', tokenUrl],
  ] as const) {
    const fault = findAddressFault(text);
    if (fault !== undefined) throw discoveryFailed(`the address of ${name} ${fault}`);
  }
  const issuer = named ?? new URL(tokenUrl).origin;
  const metadata = {
    issuer,
    authorization_endpoint: authorizeUrl,
    token_endpoint: tokenUrl,
    code_challenge_methods_supported: ['S256'],
  };
  return { issuer, metadata, scopes: [], isUnknown: named === undefined };
}
