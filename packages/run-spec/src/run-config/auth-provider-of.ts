import type { JsonObject } from '@portolan/plugin-api';
import { middlewareOf } from './middleware-of.ts';
import { asksForTokens } from './oidc-config.ts';
import type { OidcConfig } from './parts.ts';
import type { RunConfig } from './run-config.ts';

export interface NamedAuthProvider {
  readonly type: 'oauth' | 'local-user';
  readonly parameters: JsonObject;
  readonly place: string;
}

/**
 * Returns how callers authenticate: by tokens that match `oidc_config`, otherwise as the local user if any
 * policy applies. Undefined without both. `secret` resolves references; without it, the settings contain no
 * secret.
 */
export function authProviderOf(
  config: RunConfig,
  secret?: (reference: string) => string,
): NamedAuthProvider | undefined {
  const { oidc_config: oidc } = config;
  if (oidc !== undefined && asksForTokens(oidc)) {
    return { type: 'oauth', parameters: oauthParameters(config, oidc, secret), place: 'oidc_config' };
  }
  if (middlewareOf(config).length === 0) return undefined;
  return { type: 'local-user', parameters: {}, place: 'oidc_config' };
}

/** Returns the path of the CA certificates that replace those of the system; an empty text for none. */
export function authoritiesOf({ thv_ca_bundle: bundle, oidc_config: oidc }: RunConfig): string {
  return bundle === '' ? (oidc?.CACertPath ?? '') : bundle;
}

/** Returns the path of the token file. Other tools write it next to `oidc_config`, not into it. */
export function authTokenFileOf({ jwks_auth_token_file: beside, oidc_config: oidc }: RunConfig): string {
  return oidc?.AuthTokenFile || beside;
}

function oauthParameters(
  config: RunConfig,
  oidc: OidcConfig,
  secret: ((reference: string) => string) | undefined,
): JsonObject {
  const clientIds = oidc.AllowedClients;
  // A token for the resource is for this workload (RFC 8707). With configured clients, only an explicit
  // audience counts, because providers whose tokens name the client have no audience.
  const audience = oidc.Audience || (clientIds.length > 0 ? '' : oidc.ResourceURL);
  const own = authoritiesOf(config) === oidc.CACertPath ? '' : oidc.CACertPath;
  return {
    ...given('resourceUrl', oidc.ResourceURL),
    realm: oidc.Issuer,
    scopes: oidc.Scopes,
    mcpRules: true,
    allowInsecureIssuers: oidc.InsecureAllowHTTP,
    provider: {
      name: 'oidc',
      ...given('issuerUrl', oidc.Issuer),
      ...given('audience', audience),
      ...(clientIds.length > 0 ? { clientIds } : {}),
      ...(audience === '' && clientIds.length === 0 ? { anyAudience: true } : {}),
      ...given('jwksUrl', oidc.JWKSURL),
      ...given('introspectionUrl', oidc.IntrospectionURL),
      ...given('clientId', oidc.ClientID),
      ...given(
        'clientSecret',
        secret === undefined || oidc.ClientSecret === '' ? '' : secret(oidc.ClientSecret),
      ),
      ...given('caCertPath', own),
      ...given('authTokenFile', authTokenFileOf(config)),
      allowPrivateIP: oidc.AllowPrivateIP,
    },
  };
}

function given(key: string, text: string): JsonObject {
  return text === '' ? {} : { [key]: text };
}
