import type { JsonObject } from '@portolan/plugin-api';
import { middlewareOf } from './middleware-of.ts';
import { asksForTokens } from './oidc-config.ts';
import type { OidcConfig } from './parts.ts';
import type { RunConfig } from './run-config.ts';

/** Who says who calls a workload. */
export interface NamedAuthProvider {
  /** Name of the kind. */
  readonly type: 'oauth' | 'local-user';
  readonly parameters: JsonObject;
  /** Where it stands in the run config. */
  readonly place: string;
}

/**
 * The auth provider that a run config asks for: tokens of `oidc_config`; without
 * those the user of this machine, where policies want to know who calls; else
 * none. `secret` gives the value of a reference; left out, there is no secret in
 * the settings.
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

/** Where the certificates stand that are trusted instead of those of the system; empty where they are. */
export function authoritiesOf({ thv_ca_bundle: bundle, oidc_config: oidc }: RunConfig): string {
  return bundle === '' ? (oidc?.CACertPath ?? '') : bundle;
}

/** The file with the token that the issuer is asked with; other tools have written it beside `oidc_config`. */
export function authTokenFileOf({ jwks_auth_token_file: beside, oidc_config: oidc }: RunConfig): string {
  return oidc?.AuthTokenFile || beside;
}

function oauthParameters(
  config: RunConfig,
  oidc: OidcConfig,
  secret: ((reference: string) => string) | undefined,
): JsonObject {
  const clientIds = oidc.AllowedClients;
  // A token for the resource is one for this workload (RFC 8707). Where clients are named, only a named audience counts:
  // providers whose tokens name the client instead have no audience.
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
