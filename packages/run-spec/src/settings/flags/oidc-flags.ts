import path from 'node:path';
import type { PathContext } from '../../parse/volume.ts';
import { isScope } from '../../run-config/oidc-config.ts';
import type { FlagRow } from '../flag-row.ts';
import { badSetting } from '../settings-errors.ts';

/** Who may call a workload, and how whoever says so is asked. What they exclude of each other is in `checkOidcFlags`. */
export const OIDC_FLAGS = {
  oidcIssuer: {
    flag: 'oidc-issuer',
    is: 'text',
    group: 'AUTHENTICATION',
    description: 'OpenID Connect issuer whose tokens callers need',
    helpValue: 'URL',
    field: 'oidc_config.Issuer',
    setting: { default: undefined, check: checkFilled },
  },
  oidcAudience: {
    flag: 'oidc-audience',
    is: 'text',
    group: 'AUTHENTICATION',
    description: 'whom tokens have to be for',
    fallback: 'that of --resource-url, else anybody',
    helpValue: 'AUDIENCE',
    field: 'oidc_config.Audience',
    setting: { default: undefined, check: checkFilled },
  },
  oidcClientId: {
    flag: 'oidc-client-id',
    is: 'text',
    group: 'AUTHENTICATION',
    description: 'client that asks about opaque tokens (introspection)',
    helpValue: 'ID',
    field: 'oidc_config.ClientID',
    setting: { default: undefined, check: checkFilled },
  },
  oidcClientSecret: {
    flag: 'oidc-client-secret',
    is: 'text',
    group: 'AUTHENTICATION',
    description: 'its secret, or NAME,target=… of the secret store, where it goes otherwise',
    fallback: 'PORTOLAN_OIDC_CLIENT_SECRET',
    helpValue: 'SECRET',
    field: 'oidc_config.ClientSecret',
  },
  oidcJwksUrl: {
    flag: 'oidc-jwks-url',
    is: 'text',
    group: 'AUTHENTICATION',
    description: 'where the keys of tokens are',
    fallback: 'what discovery says',
    helpValue: 'URL',
    field: 'oidc_config.JWKSURL',
    setting: { default: undefined, check: checkFilled },
  },
  oidcIntrospectionUrl: {
    flag: 'oidc-introspection-url',
    is: 'text',
    group: 'AUTHENTICATION',
    description: 'where opaque tokens are looked up (RFC 7662, Google, GitHub)',
    fallback: 'what discovery says, with --oidc-client-id',
    helpValue: 'URL',
    field: 'oidc_config.IntrospectionURL',
    setting: { default: undefined, check: checkFilled },
  },
  oidcScopes: {
    flag: 'oidc-scopes',
    is: 'list',
    group: 'AUTHENTICATION',
    description: 'scopes that clients are told to ask for, separated by commas; repeatable',
    fallback: 'openid, in the metadata of the resource alone',
    helpValue: 'SCOPE,SCOPE',
    field: 'oidc_config.Scopes',
    setting: { default: undefined, check: checkScopes },
  },
  oidcInsecureAllowHttp: {
    flag: 'oidc-insecure-allow-http',
    is: 'truth',
    group: 'AUTHENTICATION',
    description: 'let issuer and endpoints be http; for tests only',
    fallback: 'false',
    field: 'oidc_config.InsecureAllowHTTP',
    setting: { default: undefined },
  },
  jwksAllowPrivateIp: {
    flag: 'jwks-allow-private-ip',
    is: 'truth',
    group: 'AUTHENTICATION',
    description: 'let issuer and endpoints have addresses that are not public, loopback included',
    fallback: 'false',
    field: 'oidc_config.AllowPrivateIP',
    setting: { default: undefined },
  },
  jwksAuthTokenFile: {
    flag: 'jwks-auth-token-file',
    is: 'text',
    group: 'AUTHENTICATION',
    description: 'file with the bearer token that issuer and endpoints are asked with',
    helpValue: 'FILE',
    field: 'oidc_config.AuthTokenFile',
    setting: { default: undefined, check: wholePath },
  },
  resourceUrl: {
    flag: 'resource-url',
    is: 'text',
    group: 'AUTHENTICATION',
    description:
      'address under which clients know the workload (RFC 9728); pages and requests of its host are let in',
    helpValue: 'URL',
    field: 'oidc_config.ResourceURL',
    setting: { default: undefined, check: checkFilled },
  },
  cliCaBundle: {
    flag: 'cli-ca-bundle',
    is: 'text',
    group: 'AUTHENTICATION',
    description:
      'certificates of the authorities to trust, instead of those of the system, in every request of Portolan itself',
    helpValue: 'FILE',
    field: 'thv_ca_bundle',
    setting: { default: undefined, check: wholePath },
  },
} as const satisfies Readonly<Record<string, FlagRow>>;

/** What is empty would be no setting at all, and let everybody in. Throws ERR_SETTING. */
function checkFilled(text: string, place: string): string {
  if (text.trim() === '') throw badSetting(place, text, 'a value');
  return text.trim();
}

function wholePath(file: string, place: string, { workingDirectory, home }: PathContext): string {
  checkFilled(file, place);
  return path.resolve(workingDirectory, file.startsWith('~/') ? path.join(home, file.slice(1)) : file);
}

function checkScopes(scopes: readonly string[], place: string): readonly string[] {
  const bad = scopes.find((scope) => !isScope(scope));
  if (bad !== undefined) throw badSetting(place, bad, 'scopes, separated by commas');
  return [...new Set(scopes)];
}
