// A small identity provider for this example. It issues an authenticated registry an access token for the
// company's registry. Do not use it for anything else.
import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Provider } from 'oidc-provider';

const ISSUER = 'http://127.0.0.1:9481';
/** Audience of tokens: `audience` in the company's configuration. */
const RESOURCE = 'https://registry.acme.example';

const secret = (await readFile(path.join(import.meta.dirname, 'client-secret'), 'utf8')).trim();

/**
 * Creates the provider at an address: one client, whose tokens are JWTs signed with a key of this process.
 */
function createProvider(issuer: string): Provider {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return new Provider(issuer, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
    clients: [
      {
        client_id: 'branch-office',
        client_secret: secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: 'ES256',
      },
    ],
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
          accessTokenTTL: 3600,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    ttl: { ClientCredentials: 3600 },
    // The token has a company but no team, so the company's registry decides what the office sees.
    extraTokenClaims: () => ({ org: 'acme' }),
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
