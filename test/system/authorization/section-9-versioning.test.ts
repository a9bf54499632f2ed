import { expect } from 'chai';
import { inlineSource, type Json, serverDocument } from '../../support/registry-under-test.ts';
import { onEachEngine, withRestarted } from './on-each-engine.ts';
import { onSharedServers, UNLABELLED } from './on-shared-servers.ts';
import { entryPath, newLabel, type Person, readPath } from './person.ts';

const LISTED = 'com.acme/listed';

/** The configuration with or without claims of the synced source. */
const configWith = (claims: Json | undefined): Json => ({
  sources: [
    { name: 'published', managed: {}, claims: { org: 'acme' } },
    inlineSource('catalog', claims, [serverDocument(LISTED)]),
  ],
  registries: [{ name: 'main', sources: ['published', 'catalog'], claims: { org: 'acme' } }],
});

const REST = ['sources', 'registries', 'entries'];

onSharedServers('section 9, versioning', 'full', (scene) => {
  const caller = (): Person => scene().person({ org: 'acme', role: REST });

  it('"Admin and publish paths use the prefix /v1": no other prefix works', async () => {
    for (const path of ['/v1/me', '/v1/sources', '/v1/registries']) {
      expect(await caller().asks('GET', path), path).to.equal(200);
      for (const other of [path.replace('/v1', '/v0.1'), path.replace('/v1', '/v0'), path.replace('/v1', '')])
        expect(await caller().asks('GET', other), other).to.equal(404);
    }
  });

  it('"the consumer path uses the prefix /registry/{registry_name}/v0.1", with the alias /v0', async () => {
    const { admin, person } = scene();
    const shown = await admin.published({ org: 'acme' });
    const hidden = await admin.published({ org: 'other' });
    for (const version of ['v0.1', 'v0']) {
      const path = (name: string): string => readPath(name).replace('/v0.1/', `/${version}/`);
      expect(await caller().asks('GET', path(shown)), version).to.equal(200);
      expect(await caller().asks('GET', path(hidden)), version).to.equal(404);
      const list = `/registry/main/${version}/servers?limit=100`;
      const text = (await caller().must('GET', list)).text;
      expect(text).to.include(shown).and.not.include(`"${hidden}"`);
      expect(await person({ org: 'other' }).asks('GET', list), version).to.equal(403);
      expect(await person().asks('GET', list), version).to.equal(401);
    }
    for (const version of ['v1', 'v0.2', 'v0.1.0'])
      expect(await caller().asks('GET', `/registry/main/${version}/servers`), version).to.equal(404);
  });

  it('"From v1.4.1, with auth.authz configured, unlabeled resources are invisible to every non-superAdmin caller on all paths."', async () => {
    const { admin } = scene();
    const entry = await admin.published(undefined);
    const source = newLabel();
    await admin.must('PUT', `/v1/sources/${source}`, { managed: {} });
    await admin.awaits(UNLABELLED);
    const single = [
      `/v1/sources/${source}`,
      '/v1/sources/unlabelled',
      '/v1/registries/bare',
      readPath(entry),
      readPath(entry, '1.0.0'),
      readPath(UNLABELLED),
      `${entryPath(entry)}/claims`,
    ];
    for (const path of single) {
      expect(await caller().asks('GET', path), path).to.equal(404);
      expect(await admin.asks('GET', path), path).to.equal(200);
    }
    const lists: readonly (readonly [string, string])[] = [
      ['/v1/sources', `"${source}"`],
      ['/v1/registries', '"bare"'],
      ['/registry', '"bare"'],
      ['/registry/main/v0.1/servers?limit=100', entry],
      ['/v1/sources/published/entries', entry],
      ['/v1/registries/main/entries', UNLABELLED],
    ];
    for (const [path, text] of lists) {
      expect((await caller().must('GET', path)).text, path).to.not.include(text);
      expect((await admin.must('GET', path)).text, path).to.include(text);
    }
  });

  it('"To restore access a superAdmin tags them through the per-entry claims endpoint"', async () => {
    const { admin } = scene();
    const name = await admin.published(undefined);
    expect(await caller().asks('GET', readPath(name))).to.equal(404);
    expect(await caller().asks('PUT', `${entryPath(name)}/claims`, { claims: { org: 'acme' } })).to.equal(
      404,
    );
    await admin.must('PUT', `${entryPath(name)}/claims`, { claims: { org: 'acme' } });
    expect(await caller().asks('GET', readPath(name))).to.equal(200);
    expect(await caller().listed()).to.include(name);
  });
});

onEachEngine(
  'section 9, a source that is labelled later',
  { mode: 'full', config: configWith(undefined) },
  (scene) => {
    it('"or an operator adds a claim to the source so synced entries inherit it on the next sync": without a wait', async () => {
      const before = scene();
      await before.admin.awaits(LISTED);
      const reader = { org: 'acme' };
      expect(await before.person(reader).listed()).to.deep.equal([]);
      const labelled = { mode: 'full', config: configWith({ org: 'acme' }) } as const;
      await withRestarted(before, labelled, async (after) => {
        expect(await after.person(reader).listed()).to.deep.equal([LISTED]);
      });
    });
  },
);
