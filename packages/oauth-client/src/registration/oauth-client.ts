import type * as openid from 'openid-client';
import type { AuthorizationServer } from '../discovery/find-authorization-server.ts';
import type { OauthWeb } from '../web/oauth-web.ts';
import { isLoopback } from '../web/find-address-fault.ts';
import { fetchTokenResponses } from '../tokens/token-response.ts';
import { textsOf } from '../web/texts-of.ts';

/** As whom Portolan is known to an authorization server. */
export interface OauthClient {
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  /** How it proves itself at the token endpoint; undefined: by what the server offers. */
  readonly authMethod?: string | undefined;
}

/** The library, when it is first needed: a workload without login never loads it. */
export async function loadOpenid(): Promise<typeof openid> {
  return await import('openid-client');
}

/** What the library needs for every request to one server in the name of one client. */
export async function configurationOf(
  { metadata, isUnknown = false }: Pick<AuthorizationServer, 'metadata' | 'isUnknown'>,
  client: OauthClient,
  web: Pick<OauthWeb, 'fetch'>,
  /** Whether the operator has allowed http elsewhere, too. */
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
  // An ID token of a server whose issuer is unknown cannot be checked.
  const fetch = fetchTokenResponses(web.fetch, { ignoresIdToken: isUnknown });
  // SAFETY: both are the platform's fetch but for types of bodies that it does not send.
  configuration[library.customFetch] = fetch as openid.CustomFetch;
  if (isUnknown) UNKNOWN.add(configuration);
  configuration.timeout = 10;
  // http was let through for this machine alone.
  const endpoint = URL.parse(metadata.token_endpoint ?? '');
  if (allowInsecure || (endpoint?.protocol === 'http:' && isLoopback(endpoint)))
    allowInsecureRequests(configuration);
  return configuration;
}

/** Of servers of which nobody has said who they are. */
const UNKNOWN = new WeakSet<openid.Configuration>();

/** Whether answers can be compared with who the server is. */
export function knowsIssuer(configuration: openid.Configuration): boolean {
  return !UNKNOWN.has(configuration);
}

/**
 * How far the clock of this machine may be off for an ID token. One comes from
 * the token endpoint itself, for this very request, and says no more than who has
 * logged in: to refuse it would lose the refresh token beside it, which is not
 * given twice.
 */
const CLOCK_TOLERANCE_SECONDS = 24 * 3600;

/** A public client names itself in the body; one with a secret by header, unless only the body is offered (RFC 6749, section 2.3.1). */
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
 * As forms are encoded (RFC 6749, section 2.3.1; WHATWG URL, section 5.2), which
 * leaves `-`, `.`, `_` and `*` as they are: the library writes `%2D`, and
 * servers that decode nothing know no such client.
 */
function secretByHeader(secret: string): openid.ClientAuth {
  return (_server, { client_id: id }, _body, headers) => {
    const pair = [id, secret].map((text) => new URLSearchParams({ '': text }).toString().slice(1)).join(':');
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };
}
