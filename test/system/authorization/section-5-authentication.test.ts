import { expect } from 'chai';
import { type Json, RESOURCE_URL } from '../../support/registry-under-test.ts';
import { onEachEngine } from './on-each-engine.ts';
import { readPath } from './person.ts';

const CONFIG: Json = {
  sources: [{ name: 'published', managed: {}, claims: { org: 'acme' } }],
  registries: [{ name: 'main', sources: ['published'], claims: { any: [] } }],
};

/** Claims from nested places of the token, one of them with the name of an existing claim. */
const auth = {
  claims: {
    groups: '/realm_access/roles',
    tenant: '/https:~1~1acme.example~1tenant',
    team: '/nested/team',
    first: '/lists/0',
  },
  authz: {
    roles: {
      superAdmin: [{ role: 'admin' }],
      manageSources: [{ groups: 'source-managers' }],
      manageRegistries: [{ scope: 'registries:write' }],
      manageEntries: [{ scp: ['publish'] }, { tenant: 'acme' }],
    },
  },
};

onEachEngine('section 5, authentication', { mode: 'full', config: CONFIG, auth }, (scene) => {
  const now = (): number => Math.floor(Date.now() / 1000);

  it('"Callers authenticate with an OAuth bearer JWT in the Authorization header."', async () => {
    const { server } = scene();
    const token = server.token();
    const send = async (path: string, headers: Record<string, string>): Promise<number> =>
      await server.status('GET', path, { headers });
    expect(await send('/v1/me', { authorization: `Bearer ${token}` })).to.equal(200);
    expect(await send('/v1/me', { authorization: `bearer ${token}` })).to.equal(200);
    expect(await send('/v1/me', {})).to.equal(401);
    expect(await send('/v1/me', { authorization: `Basic ${token}` })).to.equal(401);
    expect(await send('/v1/me', { authorization: token })).to.equal(401);
    expect(await send('/v1/me', { cookie: `access_token=${token}` })).to.equal(401);
    expect(await send(`/v1/me?access_token=${token}`, {})).to.equal(401);
  });

  it('"The server validates tokens against the configured providers (issuerUrl, audience)."', async () => {
    const { server } = scene();
    const refused: readonly Json[] = [
      { iss: 'https://sso.elsewhere.example' },
      { iss: undefined },
      { aud: 'another-service' },
      { aud: [] },
      { aud: undefined },
      { exp: now() - 3600 },
      { exp: undefined },
      { nbf: now() + 3600 },
    ];
    for (const claims of refused)
      expect(
        await server.status('GET', '/v1/me', { token: server.token(claims) }),
        JSON.stringify(claims),
      ).to.equal(401);
    const accepted: readonly Json[] = [
      { aud: ['another-service', 'portolan'] },
      { nbf: now() - 5 },
      { exp: now() - 5 },
    ];
    for (const claims of accepted)
      expect(
        await server.status('GET', '/v1/me', { token: server.token(claims) }),
        JSON.stringify(claims),
      ).to.equal(200);
  });

  it('a 401 response names the protected-resource metadata', async () => {
    const { server, person } = scene();
    const answer = await person().get('/v1/me');
    expect(answer.status).to.equal(401);
    const address = `${RESOURCE_URL}/.well-known/oauth-protected-resource`;
    const challenge = answer.headers.get('www-authenticate');
    expect(challenge)
      .to.match(/^Bearer /)
      .and.include(`resource_metadata="${address}"`);
    const metadata = await person().get(new URL(address).pathname);
    expect(metadata.status).to.equal(200);
    expect(metadata.json()).to.deep.include({
      resource: RESOURCE_URL,
      authorization_servers: [server.issuer.issuerUrl],
    });
  });

  it('"Roles come from auth.authz.roles": from a nested claim when the configuration names its path', async () => {
    const { person } = scene();
    const table: readonly (readonly [Json, readonly string[]])[] = [
      [{ realm_access: { roles: ['x', 'source-managers'] } }, ['manageSources']],
      [{ realm_access: { roles: 'source-managers' } }, ['manageSources']],
      [{ groups: 'source-managers' }, []],
      [{ realm_access: 'source-managers' }, []],
      [{ 'https://acme.example/tenant': 'acme' }, ['manageEntries']],
      [{ tenant: 'acme' }, []],
      [{ lists: ['a'] }, []],
    ];
    for (const [claims, roles] of table)
      expect(await person(claims).roles(), JSON.stringify(claims)).to.deep.equal(roles);
  });

  it('`scope` and `scp` hold several values in one string', async () => {
    const { person } = scene();
    const table: readonly (readonly [Json, readonly string[]])[] = [
      [{ scope: 'openid registries:write profile' }, ['manageRegistries']],
      [{ scope: ['registries:write'] }, ['manageRegistries']],
      [{ scp: 'read publish' }, ['manageEntries']],
      [{ scope: 'registries:writer' }, []],
      [{ scope: 'registries:' }, []],
      [{ role: 'x admin' }, []],
    ];
    for (const [claims, roles] of table)
      expect(await person(claims).roles(), JSON.stringify(claims)).to.deep.equal(roles);
  });

  it('checks use mapped claims, and no other claims of the same name', async () => {
    const { person, admin } = scene();
    const byTeam = await admin.published({ team: 'data' });
    const byScope = await admin.published({ scope: 'mcp:read' });
    const as = async (claims: Json, name: string): Promise<number> =>
      await person({ any: 'x', ...claims }).asks('GET', readPath(name));
    expect(await as({ nested: { team: 'data' } }, byTeam)).to.equal(200);
    expect(await as({ nested: { team: ['ops', 'data'] } }, byTeam)).to.equal(200);
    expect(await as({ team: 'data' }, byTeam)).to.equal(404);
    expect(await as({ team: 'data', nested: { team: 'ops' } }, byTeam)).to.equal(404);
    expect(await as({ scope: 'openid mcp:read' }, byScope)).to.equal(200);
    expect(await as({ scope: 'mcp:readonly' }, byScope)).to.equal(404);
  });

  it('names of claims are case-sensitive', async () => {
    const { person, admin } = scene();
    const name = await admin.published({ Department: 'Tools' });
    expect(await person({ any: 'x', Department: 'Tools' }).asks('GET', readPath(name))).to.equal(200);
    expect(await person({ any: 'x', department: 'Tools' }).asks('GET', readPath(name))).to.equal(404);
  });
});
