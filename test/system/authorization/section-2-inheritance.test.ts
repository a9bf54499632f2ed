import path from 'node:path';
import { expect } from 'chai';
import { inlineSource, type Json, serverDocument } from '../../support/registry-under-test.ts';
import { onEachEngine, type Scene, withRestarted } from './on-each-engine.ts';
import { entryPath, newLabel, newName, type Person, readPath } from './person.ts';

const CATALOGUED = 'com.acme/catalogued';
const ANNOTATED = 'com.acme/annotated';
const BARE = 'com.acme/not-annotated';

/** The same configuration with other claims of its sources. */
const configWith = (claims: Json | undefined, catalogue: Json | undefined = claims): Json => ({
  plugins: [path.join(import.meta.dirname, 'plugins/labelled-source.ts')],
  sources: [
    { name: 'published', managed: {}, ...(claims === undefined ? {} : { claims }) },
    inlineSource('catalog', catalogue, [serverDocument(CATALOGUED), serverDocument(CATALOGUED, '2.0.0')]),
    {
      name: 'annotated',
      labelled: {
        items: JSON.stringify([
          { document: serverDocument(ANNOTATED), claims: { team: 'data' } },
          { document: serverDocument(BARE) },
        ]),
      },
      syncPolicy: { interval: '30m' },
      ...(claims === undefined ? {} : { claims }),
    },
  ],
  registries: [{ name: 'main', sources: ['published', 'catalog', 'annotated'], claims: { any: [] } }],
});

const catalogue = (...names: readonly string[]): string =>
  JSON.stringify({ version: '1.0.0', data: { servers: names.map((name) => serverDocument(name)) } });

const claimsOf = async (admin: Person, source: string, name: string): Promise<unknown> =>
  (await admin.rawEntries(`/v1/sources/${source}`)).find((entry) => entry.name === name)?.claims;

const people = ({ person }: Scene) => ({
  acme: person({ any: 'x', org: 'acme' }),
  other: person({ any: 'x', org: 'other' }),
  data: person({ any: 'x', team: 'data' }),
});

onEachEngine('section 2, inheritance', { mode: 'full', config: configWith({ org: 'acme' }) }, (scene) => {
  it('"for synced sources (Git, API, File) the source claims are inherited by every entry ingested during sync"', async () => {
    const { admin } = scene();
    const { acme, other } = people(scene());
    await admin.awaits(CATALOGUED);
    expect(await claimsOf(admin, 'catalog', CATALOGUED)).to.deep.equal({ org: 'acme' });
    for (const version of ['1.0.0', '2.0.0', 'latest']) {
      expect(await acme.asks('GET', readPath(CATALOGUED, version)), version).to.equal(200);
      expect(await other.asks('GET', readPath(CATALOGUED, version)), version).to.equal(404);
    }
  });

  it('"For Kubernetes and managed sources the source claims … are not inherited."', async () => {
    const { admin } = scene();
    const { acme, data } = people(scene());
    await admin.awaits(BARE);
    const published = await admin.published({ org: 'other' });
    const bare = await admin.published(undefined);
    expect(await claimsOf(admin, 'published', published)).to.deep.equal({ org: 'other' });
    expect(await claimsOf(admin, 'published', bare)).to.equal(undefined);
    for (const name of [published, bare, BARE, ANNOTATED])
      expect(await acme.asks('GET', readPath(name)), name).to.equal(404);
    expect(await data.asks('GET', readPath(ANNOTATED))).to.equal(200);
  });

  it('"Kubernetes entries take claims from the authz-claims annotation": a source kind whose entries bring their claims', async () => {
    const { admin } = scene();
    await admin.awaits(BARE);
    expect(await claimsOf(admin, 'annotated', ANNOTATED)).to.deep.equal({ team: 'data' });
    expect(await claimsOf(admin, 'annotated', BARE)).to.equal(undefined);
  });

  it('"the source claims only control who may manage the source via the admin API"', async () => {
    const { person } = scene();
    const holder = person({ org: 'acme', role: 'sources' });
    const stranger = person({ org: 'other', role: 'sources' });
    for (const source of ['published', 'annotated']) {
      expect(await holder.asks('GET', `/v1/sources/${source}`), source).to.equal(200);
      expect(await stranger.asks('GET', `/v1/sources/${source}`), source).to.equal(404);
    }
  });

  it('"Managed-source entries take claims from the publish payload or from the per-entry claims endpoint (superAdmin)."', async () => {
    const { admin } = scene();
    const name = await admin.published({ org: 'acme', team: 'eng' });
    expect(await claimsOf(admin, 'published', name)).to.deep.equal({ org: 'acme', team: 'eng' });
    await admin.must('PUT', `${entryPath(name)}/claims`, { claims: { org: 'other' } });
    expect(await claimsOf(admin, 'published', name)).to.deep.equal({ org: 'other' });
  });

  it('"Managed-source entries … from the per-entry claims endpoint": refused for entries of other sources', async () => {
    const { admin } = scene();
    await admin.awaits(CATALOGUED);
    for (const name of [CATALOGUED, ANNOTATED]) {
      expect(await admin.asks('GET', `${entryPath(name)}/claims`), name).to.equal(404);
      expect(await admin.asks('PUT', `${entryPath(name)}/claims`, { claims: { a: 'b' } }), name).to.equal(
        404,
      );
    }
  });

  it('a change of claims of a synced source through the API applies to its entries from the next request', async () => {
    const { admin } = scene();
    const { acme, other } = people(scene());
    const source = newLabel();
    const registry = newLabel();
    const [one, two] = [newName(), newName()];
    const define = (claims: Json | undefined) => ({
      file: { data: catalogue(one, two) },
      syncPolicy: { interval: '30m' },
      claims,
    });
    await admin.must('PUT', `/v1/sources/${source}`, define({ org: 'acme' }));
    await admin.must('PUT', `/v1/registries/${registry}`, { sources: [source], claims: { any: [] } });
    await admin.awaits(two, registry);
    for (let round = 0; round < 3; round += 1) {
      expect(await acme.listed(registry)).to.have.members([one, two]);
      expect(await other.listed(registry)).to.deep.equal([]);
      await admin.must('PUT', `/v1/sources/${source}`, define({ org: 'other' }));
      expect(await acme.listed(registry)).to.deep.equal([]);
      expect(await acme.asks('GET', readPath(one, 'latest', registry))).to.equal(404);
      expect(await other.listed(registry)).to.have.members([one, two]);
      await admin.must('PUT', `/v1/sources/${source}`, define({ org: 'acme' }));
    }
    await admin.must('PUT', `/v1/sources/${source}`, define(undefined));
    expect(await acme.listed(registry)).to.deep.equal([]);
    expect(await admin.listed(registry)).to.have.members([one, two]);
  });

  it('a change of claims of a managed source through the API leaves its entries unchanged', async () => {
    const { admin } = scene();
    const { acme, other } = people(scene());
    const source = newLabel();
    const registry = newLabel();
    await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims: { org: 'acme' } });
    await admin.must('PUT', `/v1/registries/${registry}`, { sources: [source], claims: { any: [] } });
    const labelled = await admin.published({ org: 'acme' }, { source });
    const bare = await admin.published(undefined, { source });
    for (const claims of [{ org: 'other' }, {}, { org: 'acme' }]) {
      await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims });
      expect(await acme.listed(registry)).to.deep.equal([labelled]);
      expect(await other.listed(registry)).to.deep.equal([]);
      expect(await admin.listed(registry)).to.have.members([labelled, bare]);
    }
  });
});

onEachEngine(
  'section 2, inheritance after a restart',
  { mode: 'full', config: configWith({ org: 'acme' }) },
  (scene) => {
    it('a restart with other claims in the file applies them to synced entries at once, and to no others', async () => {
      const first = scene();
      await first.admin.awaits(BARE);
      const labelled = await first.admin.published({ org: 'acme' });
      const bare = await first.admin.published(undefined);
      const expectClaims = async ({ admin }: Scene, synced: unknown): Promise<void> => {
        expect(await claimsOf(admin, 'catalog', CATALOGUED)).to.deep.equal(synced);
        expect(await claimsOf(admin, 'published', labelled)).to.deep.equal({ org: 'acme' });
        expect(await claimsOf(admin, 'published', bare)).to.equal(undefined);
        expect(await claimsOf(admin, 'annotated', ANNOTATED)).to.deep.equal({ team: 'data' });
        expect(await claimsOf(admin, 'annotated', BARE)).to.equal(undefined);
      };
      await expectClaims(first, { org: 'acme' });
      // Stops the process of the scene. This suite has no other test.
      const other = { mode: 'full', config: configWith({ org: 'other' }) } as const;
      await withRestarted(first, other, async (second) => {
        await expectClaims(second, { org: 'other' });
        const readers = people(second);
        expect(await readers.acme.listed())
          .to.include(labelled)
          .and.not.include(CATALOGUED);
        expect(await readers.other.listed())
          .to.include(CATALOGUED)
          .and.not.include(labelled);
      });
      const none = { mode: 'full', config: configWith(undefined) } as const;
      await withRestarted(first, none, async (third) => {
        await expectClaims(third, undefined);
      });
    });
  },
);
