// A small identity provider for this example. It issues each person in `people.ts` an access token for the
// registry. Do not use it for anything else.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientMetadata, Provider } from 'oidc-provider';
import { answerLogin, LOGIN_PATH } from './login-page.ts';
import { ISSUER, PAGES, PEOPLE, RESOURCE } from './people.ts';

const HOUR_S = 3600;

/** Clients for tokens without a browser: one per person. */
const OWN_CLIENTS: readonly ClientMetadata[] = [...PEOPLE].map(([id, { secret }]) => ({
  client_id: id,
  client_secret: secret,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  id_token_signed_response_alg: 'ES256',
}));

/** Client of the registry's pages. On loopback, redirects may use any port (RFC 8252, section 7.3). */
const PAGES_CLIENT: ClientMetadata = {
  client_id: PAGES,
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: [`${RESOURCE}/login/callback`],
  post_logout_redirect_uris: [`${RESOURCE}/`],
  id_token_signed_response_alg: 'ES256',
};

/** Creates the provider at an address. Tokens are JWTs signed with a key of this process. */
function createProvider(issuer: string): Provider {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return new Provider(issuer, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
    clients: [...OWN_CLIENTS, PAGES_CLIENT],
    cookies: { keys: [randomBytes(32).toString('hex')] },
    pkce: { required: () => true },
    // The pages show the name in the ID token.
    claims: { openid: ['sub'], profile: ['name'] },
    conformIdTokenClaims: false,
    interactions: { url: (_ctx, { uid }) => `${LOGIN_PATH}${uid}` },
    findAccount: (_ctx, id) => {
      const name = PEOPLE.get(id)?.claims.name;
      return name === undefined ? undefined : { accountId: id, claims: () => ({ sub: id, name }) };
    },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => ({
          audience: resource,
          scope: '',
          accessTokenFormat: 'jwt',
          accessTokenTTL: HOUR_S,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    ttl: {
      AccessToken: HOUR_S,
      ClientCredentials: HOUR_S,
      Grant: HOUR_S,
      IdToken: HOUR_S,
      Interaction: HOUR_S,
      Session: HOUR_S,
    },
    extraTokenClaims: (_ctx, token) => {
      const person = 'accountId' in token ? token.accountId : token.clientId;
      return PEOPLE.get(person ?? '')?.claims;
    },
  });
}

const { hostname, port } = new URL(ISSUER);
const server = createServer();
server.listen(Number(process.env['PORT'] ?? port), hostname, () => {
  // SAFETY: a listening TCP server has an address with a port.
  const address = server.address() as AddressInfo;
  const issuer = `http://${hostname}:${address.port}`;
  const provider = createProvider(issuer);
  const respond = provider.callback();
  server.on('request', (request, response) => {
    const isLogin = request.url?.startsWith(LOGIN_PATH) === true;
    void (isLogin ? answerLogin(provider, request, response) : respond(request, response));
  });
  console.log(`the issuer listens at ${issuer}`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close());
