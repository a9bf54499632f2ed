// A small identity provider for this example: it knows the people of `people.ts`
// and gives each an access token for the registry. Never use it for anything else.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { ISSUER, PEOPLE, RESOURCE } from './people.ts';

const HOUR_S = 3600;

/** The provider at an address: one client for each person, tokens are JWTs signed with a key of this start. */
function createProvider(issuer: string): Provider {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return new Provider(issuer, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
    clients: [...PEOPLE].map(([id, { secret }]) => ({
      client_id: id,
      client_secret: secret,
      // People log in with a browser; that a client gets a token for itself needs none.
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: 'ES256',
    })),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        getResourceServerInfo: (_ctx, resource) => ({
          audience: resource,
          scope: '',
          accessTokenFormat: 'jwt',
          accessTokenTTL: HOUR_S,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    ttl: { ClientCredentials: HOUR_S },
    extraTokenClaims: (_ctx, token) => PEOPLE.get(token.clientId ?? '')?.claims,
  });
}

const { hostname, port } = new URL(ISSUER);
const server = createServer();
server.listen(Number(process.env['PORT'] ?? port), hostname, () => {
  // SAFETY: a listening TCP server has an address with a port.
  const address = server.address() as AddressInfo;
  const issuer = `http://${hostname}:${address.port}`;
  server.on('request', createProvider(issuer).callback());
  console.log(`the issuer listens at ${issuer}`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close());
