import type * as openid from 'openid-client';
import type { AuthorizationServer } from '../discovery/find-authorization-server.ts';
import type { OauthWeb } from '../web/oauth-web.ts';
import { isLoopback } from '../web/find-address-fault.ts';
import { fetchTokenResponses } from '../tokens/token-response.ts';
import { textsOf } from '../web/texts-of.ts';

export interface OauthClient {
  readonly clientId: string;
  /** Client secret. Undefined for a public client. */
  readonly clientSecret: string | undefined;
  /** Authentication method at the token endpoint. Default: a method that the server supports. */
  readonly authMethod?: string | undefined;
}

/** Loads the library on first use: a workload without login never needs it. */
export async function loadOpenid(): Promise<typeof openid> {
  return await import('openid-client');
}

export async function configurationOf(
  { metadata, isUnknown = false }: Pick<AuthorizationServer, 'metadata' | 'isUnknown'>,
  client: OauthClient,
  web: Pick<OauthWeb, 'fetch'>,
  /** Whether the operator allows http to other machines. */
  allowInsecure = false,
): Promise<openid.Configuration> {
  const library = await loadOpenid();
  const { allowInsecureRequests, clockTolerance, Configuration } = library;
  const configuration = new Configuration(
    metadata,
    client.clientId,
    {
      ...(client.clientSecret === undefined ? {} : { client_secret: client.clientSecret }),
      [clockTolerance]: CLOCK_TOLERANCE_SECONDS,
    },
    await authenticationOf(metadata, client),
  );
  // An ID token cannot be verified without a known issuer.
  const fetch = fetchTokenResponses(web.fetch, { ignoresIdToken: isUnknown });
  // SAFETY: both are the platform's fetch. They differ only in body types that the library does not send.
  configuration[library.customFetch] = fetch as openid.CustomFetch;
  if (isUnknown) UNKNOWN.add(configuration);
  configuration.timeout = 10;
  // An http endpoint passed the earlier check only if it is on this machine.
  const endpoint = URL.parse(metadata.token_endpoint ?? '');
  if (allowInsecure || (endpoint?.protocol === 'http:' && isLoopback(endpoint)))
    allowInsecureRequests(configuration);
  return configuration;
}

const UNKNOWN = new WeakSet<openid.Configuration>();

/** Returns whether the server's issuer is known, so that tokens and redirects can be checked against it. */
export function knowsIssuer(configuration: openid.Configuration): boolean {
  return !UNKNOWN.has(configuration);
}

/**
 * Clock tolerance in seconds. ID tokens come directly from the token endpoint; rejecting one would lose the
 * refresh token.
 */
const CLOCK_TOLERANCE_SECONDS = 24 * 3600;

/**
 * A public client sends its id in the body; one with a secret prefers the header (RFC 6749, section 2.3.1).
 */
async function authenticationOf(
  metadata: AuthorizationServer['metadata'],
  { clientSecret, authMethod }: OauthClient,
): Promise<openid.ClientAuth> {
  const { ClientSecretPost, None } = await loadOpenid();
  if (clientSecret === undefined || authMethod === 'none') return None();
  const offered = textsOf(metadata['token_endpoint_auth_methods_supported']);
  const method =
    authMethod ??
    (offered.length === 0 || offered.includes('client_secret_basic')
      ? 'client_secret_basic'
      : 'client_secret_post');
  return method === 'client_secret_post' ? ClientSecretPost(clientSecret) : secretByHeader(clientSecret);
}

/**
 * Encodes like forms (RFC 6749, section 2.3.1; WHATWG URL, section 5.2), which leave `-`, `.`, `_` and `*`;
 * the library writes `%2D`, which some servers do not decode.
 */
function secretByHeader(secret: string): openid.ClientAuth {
  return (_server, { client_id: id }, _body, headers) => {
    const pair = [id, secret].map((text) => new URLSearchParams({ '': text }).toString().slice(1)).join(':');
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };
}
