import { isLoopbackHost, isPublicAddress, isTenantless } from '@portolan/outbound';
import { isIP } from 'node:net';
import { isJsonObject } from '../document/json-members.ts';
import type { OidcConfig } from './parts.ts';

const EMPTY: OidcConfig = {
  Issuer: '',
  Audience: '',
  JWKSURL: '',
  ClientID: '',
  ClientSecret: '',
  CACertPath: '',
  AuthTokenFile: '',
  AllowPrivateIP: false,
  InsecureAllowHTTP: false,
  IntrospectionURL: '',
  ResourceURL: '',
  Scopes: [],
  AllowedClients: [],
};

/** Fills in empty values for missing parts. Returns undefined when no part is given. */
export function completeOidc(input: Partial<OidcConfig> | undefined): OidcConfig | undefined {
  return input === undefined ? undefined : { ...EMPTY, ...input };
}

/** Keys that require callers to authenticate. Other tools write the remaining keys for every workload. */
const ASKING = [
  'Issuer',
  'Audience',
  'AllowedClients',
  'JWKSURL',
  'ClientID',
  'ClientSecret',
  'IntrospectionURL',
] as const;

/** Returns whether an `oidc_config` requires callers to send tokens. Ignores the case of keys. */
export function asksForTokens(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const asking: readonly string[] = ASKING.map((key) => key.toLowerCase());
  return Object.entries(value).some(([key, member]) => asking.includes(key.toLowerCase()) && isSet(member));
}

function isSet(member: unknown): boolean {
  if (Array.isArray(member)) return member.length > 0;
  return member !== '' && member !== null && member !== undefined;
}

/** Returns whether a text is a scope (RFC 6749, section 3.3). */
export function isScope(text: string): boolean {
  return /^[!#-[\]-~]+$/.test(text);
}

export interface OidcFault {
  readonly key: keyof OidcConfig;
  readonly found: string;
  readonly expected: string;
}

const HTTPS = 'an https address; http is for localhost';
const VERIFIER = 'an issuer, or where keys are, or where tokens are looked up';

/**
 * Returns the problems of an OpenID Connect configuration. It fails closed, because an ignored setting would
 * admit callers. Problems show no values except the hosts of addresses.
 */
export function findOidcFaults(oidc: OidcConfig): readonly OidcFault[] {
  const { Issuer, JWKSURL, IntrospectionURL, ClientID, ClientSecret } = oidc;
  const hasVerifier = [Issuer, JWKSURL, IntrospectionURL].some((text) => text !== '');
  const lonely = ASKING.find((key) => isSet(oidc[key]));
  return [
    ...(lonely === undefined || hasVerifier
      ? []
      : [{ key: lonely, found: 'a value without a way to validate tokens', expected: VERIFIER }]),
    ...(['Issuer', 'JWKSURL', 'IntrospectionURL'] as const).flatMap((key) => findEndpointFaults(oidc, key)),
    ...findResourceFaults(oidc.ResourceURL),
    ...(ClientSecret !== '' && ClientID === ''
      ? [
          {
            key: 'ClientSecret' as const,
            found: 'a client secret without a client ID',
            expected: 'a client ID too',
          },
        ]
      : []),
    ...findPrivateFaults(oidc),
  ];
}

function findEndpointFaults(
  oidc: OidcConfig,
  key: 'Issuer' | 'JWKSURL' | 'IntrospectionURL',
): readonly OidcFault[] {
  const text = oidc[key];
  if (text === '') return [];
  const url = URL.parse(text);
  const fault = (found: string, expected: string): readonly OidcFault[] => [{ key, found, expected }];
  if (url === null) return fault('no address', HTTPS);
  if (url.username !== '' || url.password !== '') return fault('an address with a user or password', HTTPS);
  if (key === 'Issuer' && /[?#]/.test(text)) {
    return fault('an address with a query or a fragment', 'an address without them');
  }
  if (key === 'Issuer' && isTenantless(text)) {
    return fault(
      'an address for any tenant, which no token names as its issuer',
      'the address of one tenant; name the tenant: https://login.microsoftonline.com/TENANT-ID/v2.0',
    );
  }
  if (url.protocol === 'https:') return [];
  if (url.protocol !== 'http:') return fault(`an address that begins with ${url.protocol}`, HTTPS);
  return oidc.InsecureAllowHTTP || isLoopbackHost(url.hostname)
    ? []
    : fault(`an http address of ${url.hostname}`, HTTPS);
}

const RESOURCE = 'an https or http address with a host and a path only';

function findResourceFaults(text: string): readonly OidcFault[] {
  if (text === '') return [];
  const url = URL.parse(text);
  const fault = (found: string): readonly OidcFault[] => [{ key: 'ResourceURL', found, expected: RESOURCE }];
  if (url === null) return fault('no address');
  if (!/^https?:$/.test(url.protocol)) return fault(`an address that begins with ${url.protocol}`);
  if (url.username !== '' || url.password !== '') return fault('an address with a user or password');
  return /[?#]/.test(text) ? fault('an address with a query or a fragment') : [];
}

/** Returns problems of private addresses by their spelling. Resolved names are checked on connection. */
function findPrivateFaults(oidc: OidcConfig): readonly OidcFault[] {
  if (oidc.AllowPrivateIP) return [];
  const privateFaults = [oidc.JWKSURL === '' ? 'Issuer' : 'JWKSURL', 'IntrospectionURL'] as const;
  const key = privateFaults.find((name) => isPrivate(URL.parse(oidc[name])?.hostname ?? ''));
  if (key === undefined) return [];
  return [
    {
      key,
      found: 'a private address',
      expected:
        'a public address; to allow this one, add --jwks-allow-private-ip (in a file, AllowPrivateIP: true)',
    },
  ];
}

function isPrivate(hostname: string): boolean {
  if (/(?:^|\.)localhost\.?$/.test(hostname)) return true;
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) !== 0 && !isPublicAddress(bare);
}
