import { openFetch } from '@portolan/outbound';
import { expect } from 'chai';
import { findPublishedLogin, type NamedClient } from '../../src/discovery/find-published-login.ts';
import { OauthWeb } from '../../src/web/oauth-web.ts';
import { OauthWorld } from '../support/oauth-world.ts';

const NAMED: NamedClient = { issuer: undefined, clientId: undefined, audience: undefined, scopes: undefined };
const { signal } = new AbortController();

describe('findPublishedLogin', () => {
  let world: OauthWorld;
  let web: OauthWeb;
  beforeEach(async () => {
    world = await OauthWorld.open();
    web = await OauthWeb.open({ named: [world.remote], openFetch, environment: {} });
  });
  afterEach(async () => {
    await web.close();
    await world.close();
  });

  /** Changes what the registry says of itself. */
  function publishes(change: object): void {
    world.edit = (path, document) =>
      path.includes('protected-resource') ? { ...document, ...change } : document;
  }
  const login = (more: object = {}) => ({
    issuer: world.issuer,
    client_id: 'cli',
    scopes: ['openid', 'reg'],
    ...more,
  });
  async function find(named: Partial<NamedClient> = {}): Promise<unknown> {
    const registry = new URL(world.remote);
    return await findPublishedLogin(registry, { ...NAMED, ...named }, new Map(), web, signal).catch(
      (error: unknown) => error,
    );
  }

  it('returns the client that the registry publishes, with its scopes', async () => {
    publishes({
      portolan_login: [
        login({
          parameters: { prompt: 'consent', max: 3, redirect_uri: 'https://x.example', request: 'x' },
          token: 'id_token',
        }),
      ],
    });
    expect(await find()).to.deep.include({
      clientId: 'cli',
      scopes: ['openid', 'reg'],
      resource: world.remote,
      token: 'id_token',
      parameters: { prompt: 'consent' },
    });
  });

  it('prefers the values from the user', async () => {
    publishes({ portolan_login: [login()] });
    const named = { clientId: 'mine', audience: 'https://registry.example', scopes: ['x'] };
    expect(await find(named)).to.deep.include({
      clientId: 'mine',
      scopes: ['x'],
      resource: 'https://registry.example',
      parameters: { audience: 'https://registry.example' },
      token: 'access_token',
    });
    expect(await find({ audience: 'no-address' })).to.deep.include({
      resource: world.remote,
      parameters: { audience: 'no-address' },
    });
  });

  it('returns the published client of the named issuer only', async () => {
    publishes({
      portolan_login: [login({ issuer: 'https://other.example' }), login({ client_id: 'second' })],
    });
    expect(await find({ issuer: world.issuer })).to.deep.include({ clientId: 'second' });
    publishes({ portolan_login: [login({ issuer: 'https://other.example' })] });
    expect(await find({ issuer: world.issuer })).to.deep.include({ clientId: undefined });
  });

  it('returns no client when none is published, so that one is registered', async () => {
    expect(await find()).to.deep.include({ clientId: undefined, scopes: ['mcp.read', 'offline_access'] });
    publishes({ scopes_supported: [] });
    expect(await find()).to.deep.include({ scopes: ['openid', 'offline_access'] });
  });

  const damaged = [7, {}, [7, {}, { issuer: 7, client_id: 'a' }, { issuer: 'a', client_id: '' }]];
  for (const portolan_login of damaged) {
    it(`ignores an invalid login: ${JSON.stringify(portolan_login)}`, async () => {
      publishes({ portolan_login });
      expect(await find()).to.deep.include({ clientId: undefined });
    });
  }

  it('accepts an authorization server without PKCE metadata only for a client from the user or the registry', async () => {
    const silent = (change: object): void => {
      world.edit = (path, document) =>
        path.includes('protected-resource')
          ? { ...document, ...change }
          : { ...document, code_challenge_methods_supported: undefined };
    };
    silent({ portolan_login: [login()] });
    expect(await find()).to.deep.include({ clientId: 'cli' });
    silent({});
    expect(await find({ clientId: 'mine' })).to.deep.include({ clientId: 'mine' });
    expect(await find()).to.have.property('code', 'ERR_LOGIN_UNTRUSTED');
  });

  it('refuses a registry that names no authorization server, or another resource', async () => {
    publishes({ authorization_servers: [] });
    expect(await find()).to.have.property('code', 'ERR_LOGIN_DISCOVERY');
    publishes({ resource: 'https://registry.example' });
    expect(await find()).to.have.property('code', 'ERR_LOGIN_UNTRUSTED');
  });
});
