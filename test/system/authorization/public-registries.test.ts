import { expect } from 'chai';
import { inlineSource, type Json, serverDocument } from '../../support/registry-under-test.ts';
import { onEachEngine, type Scene } from './on-each-engine.ts';
import { type Person, readPath } from './person.ts';

/*
 * No registry becomes public by accident: without an identity, no claim or role check passes, except in a
 * registry with `public: true` for what its `publicClaims` satisfy.
 */

const CONFIG: Json = {
  sources: [
    { name: 'published', managed: {}, claims: { org: 'acme' } },
    inlineSource('shown', { audience: 'world' }, [serverDocument('com.acme/shown')]),
    inlineSource('kept', { audience: 'staff' }, [serverDocument('com.acme/kept')]),
    inlineSource('unlabelled', undefined, [serverDocument('com.acme/unlabelled')]),
  ],
  registries: [
    {
      name: 'open',
      sources: ['shown', 'kept', 'unlabelled'],
      claims: { org: 'acme' },
      public: true,
      publicClaims: { audience: ['world', 'press'] },
    },
    { name: 'empty', sources: ['shown', 'unlabelled'], claims: { org: 'acme' }, public: true },
    { name: 'closed', sources: ['shown'], claims: { audience: 'world' } },
  ],
};

const READS = (registry: string, name: string): readonly string[] => [
  `/registry/${registry}/v0.1/servers`,
  readPath(name, '', registry).slice(0, -1),
  readPath(name, 'latest', registry),
  readPath(name, '1.0.0', registry),
];

onEachEngine('public registries', { mode: 'full', config: CONFIG }, (scene) => {
  const ready = async ({ admin }: Scene): Promise<void> => {
    for (const name of ['com.acme/shown', 'com.acme/kept', 'com.acme/unlabelled'])
      await admin.awaits(name, 'open');
  };
  const registriesOf = async (who: Person): Promise<readonly string[]> =>
    (await who.must('GET', '/registry'))
      .json<{ registries: readonly { name: string }[] }>()
      .registries.map(({ name }) => name);

  it('a registry with `public: true` is read without a token (editor 282456, terminal client 3772)', async () => {
    await ready(scene());
    for (const path of READS('open', 'com.acme/shown'))
      expect(await scene().person().asks('GET', path), path).to.equal(200);
  });

  it('it shows only entries that its `publicClaims` satisfy', async () => {
    await ready(scene());
    const nobody = scene().person();
    expect(await nobody.listed('open')).to.deep.equal(['com.acme/shown']);
    for (const name of ['com.acme/kept', 'com.acme/unlabelled'])
      for (const path of READS('open', name).slice(1))
        expect(await nobody.asks('GET', path), path).to.equal(404);
    expect(await nobody.listed('empty')).to.deep.equal([]);
  });

  it('other registries and all writes require a token', async () => {
    const nobody = scene().person();
    for (const path of [...READS('closed', 'com.acme/shown'), '/registry/absent/v0.1/servers'])
      expect(await nobody.asks('GET', path), path).to.equal(401);
    for (const [method, path] of [
      ['GET', '/v1/me'],
      ['GET', '/v1/registries'],
      ['GET', '/v1/registries/open'],
      ['GET', '/v1/sources/shown/entries'],
      ['POST', '/v1/entries'],
      ['POST', '/v1/authz/explain'],
      ['PUT', '/registry/open/v0.1/servers'],
    ] as const)
      expect(await nobody.asks(method, path), `${method} ${path}`).to.equal(401);
  });

  it('a caller with a token sees entries for their claims and public entries', async () => {
    await ready(scene());
    const staff = scene().person({ org: 'acme', audience: 'staff' });
    expect(await staff.listed('open')).to.have.members(['com.acme/shown', 'com.acme/kept']);
    expect(await scene().person({}).listed('open')).to.deep.equal(['com.acme/shown']);
    expect(await scene().admin.listed('open')).to.have.members([
      'com.acme/shown',
      'com.acme/kept',
      'com.acme/unlabelled',
    ]);
  });

  it('an invalid token is refused, not ignored', async () => {
    const { server } = scene();
    for (const token of ['nonsense', server.token({ aud: 'another' })])
      expect(await server.status('GET', '/registry/open/v0.1/servers', { token })).to.equal(401);
  });

  it('`GET /registry` lists public registries without a token, and all accessible ones with a token', async () => {
    expect(await registriesOf(scene().person())).to.have.members(['open', 'empty']);
    expect(await registriesOf(scene().person({ audience: 'world' }))).to.have.members([
      'open',
      'empty',
      'closed',
    ]);
  });

  it('`publicClaims` grant no role, and have no effect on other registries', async () => {
    const { person } = scene();
    expect(await person({}).asks('GET', '/registry/closed/v0.1/servers')).to.equal(403);
    expect(await person({}).roles()).to.deep.equal([]);
  });

  it('only the configuration file can make a registry public', async () => {
    const body = {
      sources: ['shown'],
      claims: { org: 'acme' },
      public: true,
      publicClaims: { audience: 'world' },
    };
    expect(await scene().admin.asks('PUT', '/v1/registries/made', body)).to.equal(400);
  });

  it('caches keep pages of callers with and without a token apart', async () => {
    await ready(scene());
    const { person, admin } = scene();
    const path = '/registry/open/v0.1/servers';
    for (let round = 0; round < 3; round += 1) {
      const told = [];
      for (const who of [admin, person(), person({ audience: 'staff', org: 'acme' }), person()])
        told.push((await who.must('GET', path)).json<{ metadata: { count: number } }>().metadata.count);
      expect(told).to.deep.equal([3, 1, 2, 1]);
    }
  });
});
