import { remoteAuthOf } from '@portolan/run-spec';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { checkPublishedLogin } from '../../src/login/published-login.ts';
import { findClientSecret } from '../../src/login/remote-secrets.ts';

const REMOTE = 'https://mcp.acme.example/v1/mcp';
const ISSUER = 'https://accounts.example';
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: 'https://accounts.example/authorize',
  token_endpoint: 'https://tokens.example/token',
};
const { signal } = new AbortController();

/** Returns the outcome of the check and the requested URLs. */
async function check(
  fields: Readonly<Record<string, unknown>>,
): Promise<{ readonly outcome: string; readonly requests: readonly string[] }> {
  const requests: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const { href } = new URL(input instanceof Request ? input.url : input);
    requests.push(href);
    const isMetadata = href === `${ISSUER}/.well-known/oauth-authorization-server`;
    return await Promise.resolve(
      Response.json(isMetadata ? METADATA : {}, { status: isMetadata ? 200 : 404 }),
    );
  };
  const context = {
    environment: {},
    openFetch: () => Promise.resolve({ fetch, close: () => Promise.resolve() }),
  };
  const published = {
    auth: remoteAuthOf({ remote_auth_config: JSON.parse(JSON.stringify(fields)) }),
    remoteUrl: REMOTE,
    author: 'The entry acme/notes',
  };
  try {
    await checkPublishedLogin(published, context, signal);
    return { outcome: 'accepted', requests };
  } catch {
    const { code, message } = await caught(() => checkPublishedLogin(published, context, signal));
    expect(message).to.include('The entry acme/notes');
    return { outcome: code, requests };
  }
}

describe('checkPublishedLogin', () => {
  const accepted = {
    'no login at all': {},
    'an issuer alone': { issuer: ISSUER },
    "the remote's own address": { resource: REMOTE },
    "a folder above the remote's address": { resource: 'https://mcp.acme.example/v1' },
    "the remote's origin": { resource: 'https://mcp.acme.example' },
    "the remote's host as audience": { oauth_params: { audience: 'mcp.acme.example', prompt: 'consent' } },
    'both endpoints at one origin': {
      authorize_url: 'https://id.example/a',
      token_url: 'https://id.example/t',
    },
    'endpoints that the metadata of the issuer names': {
      issuer: ISSUER,
      authorize_url: METADATA.authorization_endpoint,
      token_url: METADATA.token_endpoint,
    },
  };
  for (const [title, fields] of Object.entries(accepted)) {
    it(`accepts ${title}`, async () => {
      expect((await check(fields)).outcome).to.equal('accepted');
    });
  }

  const refused = {
    'the resource of another API': { issuer: ISSUER, resource: 'https://graph.example' },
    'a resource on another port': { resource: 'https://mcp.acme.example:8443/v1/mcp' },
    'a resource over http': { resource: 'http://mcp.acme.example/v1/mcp' },
    'a sibling of the remote': { resource: 'https://mcp.acme.example/v2' },
    'a resource that only begins like the remote': { resource: 'https://mcp.acme.example/v' },
    'a resource with credentials': { resource: 'https://a:b@mcp.acme.example/v1/mcp' },
    'the audience of another API': { oauth_params: { audience: 'https://api.example/' } },
    'a name as audience': { oauth_params: { audience: 'urn:other' } },
    'a resource among the parameters': { oauth_params: { resource: 'https://graph.example' } },
    'a token endpoint at another origin': {
      authorize_url: METADATA.authorization_endpoint,
      token_url: 'https://evil.example/token',
    },
    'a token for no resource': { resource: '' },
    'a token endpoint on another port': {
      authorize_url: 'https://id.example/a',
      token_url: 'https://id.example:8443/t',
    },
    'a token endpoint that the metadata of the issuer does not name': {
      issuer: ISSUER,
      authorize_url: METADATA.authorization_endpoint,
      token_url: 'https://evil.example/token',
    },
    'endpoints at one origin under the name of another issuer': {
      issuer: ISSUER,
      authorize_url: 'https://evil.example/authorize',
      token_url: 'https://evil.example/token',
    },
    'endpoints of an issuer without metadata': {
      issuer: 'https://none.example',
      authorize_url: 'https://none.example/authorize',
      token_url: 'https://evil.example/token',
    },
  };
  for (const [title, fields] of Object.entries(refused)) {
    it(`rejects ${title}`, async () => {
      const { outcome, requests } = await check(fields);
      expect(outcome).to.equal('ERR_LOGIN_UNTRUSTED');
      expect(requests.filter((address) => address.includes('evil.example'))).to.deep.equal([]);
    });
  }
});

describe('findClientSecret', () => {
  const environment = { PORTOLAN_REMOTE_OAUTH_CLIENT_SECRET: 'of the user' };

  it('returns the secret in the environment for a client that the user named', async () => {
    const auth = remoteAuthOf({ remote_auth_config: { client_id: 'mine' } });
    expect(await findClientSecret(auth, {}, environment)).to.equal('of the user');
  });

  it('returns no secret of the environment for a client that an entry named', async () => {
    const auth = remoteAuthOf({ remote_auth_config: { client_id: 'theirs', published_client: true } });
    expect(await findClientSecret(auth, {}, environment)).to.equal(undefined);
  });
});
