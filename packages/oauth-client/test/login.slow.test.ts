import { openFetch } from '@portolan/outbound';
import { expect } from 'chai';
import { findLogin, type DiscoveredLogin, type NamedLogin } from '../src/discovery/find-login.ts';
import { probeRemote } from '../src/discovery/probe-remote.ts';
import { beginCodeFlow } from '../src/login/code-flow.ts';
import { listenForRedirect } from '../src/login/listen-for-redirect.ts';
import { configurationOf } from '../src/registration/oauth-client.ts';
import { registerClient, unregisterClient } from '../src/registration/register-client.ts';
import { refreshTokens } from '../src/tokens/refresh-tokens.ts';
import { revokeToken } from '../src/tokens/revoke-token.ts';
import { OauthWeb } from '../src/web/oauth-web.ts';
import { OauthWorld } from './support/oauth-world.ts';

const NAMED: NamedLogin = {
  issuer: undefined,
  clientId: undefined,
  authorizeUrl: undefined,
  tokenUrl: undefined,
  resource: undefined,
  scopes: undefined,
};
const PROBE = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
const { signal } = new AbortController();
const now = (): Date => new Date();

describe('login at a real authorization server', () => {
  let world: OauthWorld;
  let web: OauthWeb;
  before(async () => {
    world = await OauthWorld.open();
    web = await OauthWeb.open({ named: [world.remote], openFetch, environment: {} });
  });
  after(async () => {
    await web.close();
    await world.close();
  });

  async function find(): Promise<DiscoveredLogin> {
    const remote = new URL(world.remote);
    const probe = await probeRemote(remote, [PROBE], web, signal);
    if (probe.wants === 'nothing') throw new Error('the remote wants nothing');
    return await findLogin(remote, NAMED, probe.challenge, web, signal);
  }

  async function asks(token: string): Promise<number> {
    const headers = { ...PROBE.headers, authorization: `Bearer ${token}` };
    return (await fetch(world.remote, { ...PROBE, headers })).status;
  }

  it('discovers the server, registers a client, logs in, renews, and revokes everything', async () => {
    const found = await find();
    expect(found.server.issuer).to.equal(world.issuer);
    expect(found).to.deep.include({ resource: world.remote, scopes: ['mcp.read', 'offline_access'] });
    const listener = await listenForRedirect(0, false);
    try {
      const { redirectUri } = listener;
      const client = await registerClient(
        found.server,
        { redirectUri, scopes: found.scopes, usesDevice: false },
        web,
        signal,
      );
      expect(client.clientSecret).to.equal(undefined);
      const configuration = await configurationOf(found.server, client, web);
      const flow = await beginCodeFlow(configuration, {
        redirectUri,
        scopes: found.scopes,
        scopeParamName: 'scope',
        resource: found.resource,
        extra: { prompt: 'consent' },
      });
      expect(flow.url.searchParams.get('code_challenge_method')).to.equal('S256');
      const redirected = listener.redirected(flow.proof.state);
      for (const answer of ['error=access_denied', 'code=of-another', 'code=of-another&state=another']) {
        const astray = await fetch(`${redirectUri}?${answer}`);
        expect([astray.status, await astray.text()].join(' ')).to.match(/^400 [^]*of another login/);
      }
      const visited = world.visit(flow.url.href);
      const redirect = await redirected;
      const tokens = await flow.finish(redirect.url, now);
      redirect.show({ went: 'well', workload: '<notes>', issuer: world.issuer });
      const page = await visited;
      expect(page.status).to.equal(200);
      expect(page.text).to.include('&lt;notes&gt;').and.not.to.include('<notes>');
      const { refreshToken = '' } = tokens;
      expect(await asks(tokens.accessToken)).to.equal(200);

      const renewed = await refreshTokens(configuration, refreshToken, found.resource, now);
      expect(renewed.accessToken).to.not.equal(tokens.accessToken);
      expect(renewed.refreshToken).to.not.equal(refreshToken);
      expect(await asks(renewed.accessToken)).to.equal(200);
      expect(world.tokenRequests.map((request) => request.get('resource'))).to.deep.equal([
        world.remote,
        world.remote,
      ]);

      expect(await revokeToken(configuration, renewed.refreshToken ?? '')).to.deep.equal({ is: 'done' });
      const over = refreshTokens(configuration, renewed.refreshToken ?? '', found.resource, now);
      expect(await over.catch((error: unknown) => error)).to.include({ code: 'ERR_LOGIN_EXPIRED' });
      expect(await unregisterClient(client, web, signal)).to.equal(true);
    } finally {
      await listener.close();
    }
  });
});
