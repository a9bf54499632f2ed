import { expect } from 'chai';
import type { Entry, ResourceClaims } from '@portolan/plugin-api';
import type { Page, PageQuery } from '@portolan/registry';
import { describeAdmin } from '../support/admin-suite.ts';
import { codeOf, gitSource, holding, superAdmin, UNCHECKED } from '../support/actors.ts';
import { fill, type PlainVersion } from '../support/fill.ts';

const acme = holding({ org: 'acme' });

/** Follows a list to its end; every page but the last has to be full. */
async function all<Item>(limit: number, read: (page: PageQuery) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let after: string | undefined;
  do {
    const page = await read({ limit, ...(after === undefined ? {} : { after }) });
    if (page.next !== undefined) expect(page.items).to.have.lengthOf(limit);
    expect(page.items.length).to.be.at.most(limit);
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items;
}

describeAdmin('RegistryAdmin: lists of entries', (bench) => {
  const make = async (
    name: string,
    versions: readonly PlainVersion[],
    claims: ResourceClaims = { org: 'acme' },
    claimsFrom: 'source' | 'entry' = 'entry',
  ) => {
    const { source } = await bench.admin.putSource(superAdmin, name, gitSource({ claims, claimsFrom }));
    await fill(bench.store, source.id, versions);
  };
  const of = (name: string, version: string, more: Partial<PlainVersion> = {}) => ({
    name,
    version,
    ...more,
  });

  describe('listSourceEntries', () => {
    it('returns each entry with its versions, highest first, for any claims', async () => {
      await make('docs', [
        of('acme/b', '1.0.0', { title: 'B', description: 'the first', claims: { org: 'other' } }),
        of('acme/b', '1.10.0', { claims: { org: 'other' } }),
        of('acme/b', '1.9.0', { status: 'deleted', claims: { org: 'other' } }),
        of('acme/a', '1.0.0', { type: 'skill', claims: { org: 'acme' } }),
        of('acme/a', '1.0.0', { claims: { org: 'acme' } }),
      ]);
      const { items, next } = await bench.admin.listSourceEntries(acme, 'docs', { limit: 10 });
      expect(next).to.equal(undefined);
      expect(items.map(({ type, name, claims }) => [type, name, claims])).to.deep.equal([
        ['server', 'acme/a', { org: 'acme' }],
        ['server', 'acme/b', { org: 'other' }],
        ['skill', 'acme/a', { org: 'acme' }],
      ]);
      expect(items[1]?.versions.map(({ version, status }) => `${version} ${status}`)).to.deep.equal([
        '1.10.0 active',
        '1.9.0 deleted',
        '1.0.0 active',
      ]);
      expect(items[1]?.versions[2]).to.include({ title: 'B', description: 'the first' });
    });

    it('omits entries without claims, unless the caller may see unlabelled entries', async () => {
      await make('docs', [
        of('acme/a', '1.0.0'),
        of('acme/b', '1.0.0', { claims: { x: 'y' } }),
        of('acme/c', '1.0.0'),
      ]);
      const names = async (actor: typeof acme) =>
        (await all(1, (page) => bench.admin.listSourceEntries(actor, 'docs', page))).map(({ name }) => name);
      expect(await names(acme)).to.deep.equal(['acme/b']);
      for (const [, actor] of UNCHECKED)
        expect(await names(actor)).to.deep.equal(['acme/a', 'acme/b', 'acme/c']);
    });

    it('throws ERR_SOURCE_NOT_FOUND for a hidden source as for an absent one', async () => {
      await make('hidden', [], { org: 'other' });
      for (const name of ['hidden', 'absent'])
        expect(await codeOf(bench.admin.listSourceEntries(acme, name, { limit: 1 }))).to.equal(
          'ERR_SOURCE_NOT_FOUND',
        );
    });

    it('repeats and skips nothing with any page size, and past the size of one read', async () => {
      const versions = Array.from({ length: 250 }, (_, at) =>
        of(`acme/e${String(at).padStart(3, '0')}`, '1.0.0'),
      );
      await make('docs', versions);
      for (const limit of [1, 7, 100, 249, 250, 1000]) {
        const items = await all(limit, (page) => bench.admin.listSourceEntries(superAdmin, 'docs', page));
        expect(items.map(({ name }) => name)).to.deep.equal(versions.map(({ name }) => name));
      }
    });

    it('fills pages when a filter removes entries', async () => {
      const versions = Array.from({ length: 60 }, (_, at) =>
        of(`acme/e${String(at).padStart(3, '0')}`, '1.0.0'),
      );
      await make('docs', [...versions, of('acme/e001', '2.0.0')]);
      const seen = new Set<string>();
      const filter = async (entries: readonly Entry[]) => {
        for (const entry of entries)
          seen.add(`${entry.source} ${entry.name} ${String(entry.document['version'])}`);
        return entries.filter(({ name, version }) => name.endsWith('1') && version === '1.0.0');
      };
      const items = await all(2, (page) =>
        bench.admin.listSourceEntries(superAdmin, 'docs', { ...page, filter }),
      );
      expect(items.map(({ name }) => name)).to.deep.equal([0, 1, 2, 3, 4, 5].map((ten) => `acme/e0${ten}1`));
      expect(items[0]?.versions).to.have.lengthOf(1);
      expect(seen.size).to.equal(61);
    });

    it('throws ERR_CURSOR_INVALID for a cursor that it has not returned', async () => {
      await make('docs', []);
      for (const after of ['', '{}', '[1]', '["server","a\\u0000"]', '["robot","a"]', '["server","a",1]'])
        expect(await codeOf(bench.admin.listSourceEntries(acme, 'docs', { limit: 1, after }))).to.equal(
          'ERR_CURSOR_INVALID',
        );
    });
  });

  describe('listRegistryEntries', () => {
    const read = (actor: typeof acme) => (page: PageQuery) =>
      bench.admin.listRegistryEntries(actor, 'main', page);
    const text = ({
      type,
      name,
      position,
      version,
    }: {
      type: string;
      name: string;
      position: number;
      version: string;
    }) => `${type} ${name} ${position} ${version}`;

    beforeEach(async () => {
      await make('a', [
        of('acme/x', '1.0.0', { title: 'X', claims: { org: 'acme' } }),
        of('acme/x', '1.10.0', { claims: { org: 'acme' } }),
        of('acme/z', '1.0.0', { claims: { org: 'other' } }),
        of('acme/k', '1.0.0', { type: 'skill' }),
      ]);
      await make('b', [
        of('acme/w', '1.0.0', { claims: { org: 'acme' } }),
        of('acme/x', '1.2.0', { claims: { org: 'acme' } }),
        of('acme/y', '1.0.0'),
      ]);
      await make('c', []);
      await bench.admin.putRegistry(superAdmin, 'main', {
        sources: ['b', 'c', 'a'],
        claims: { org: 'acme' },
      });
    });

    const EXPECTED = [
      'server acme/w 0 1.0.0',
      'server acme/x 0 1.2.0',
      'server acme/x 2 1.10.0',
      'server acme/x 2 1.0.0',
      'server acme/y 0 1.0.0',
      'server acme/z 2 1.0.0',
      'skill acme/k 2 1.0.0',
    ];

    it('returns every version of every source, including shadowed ones, with claims', async () => {
      const { items } = await bench.admin.listRegistryEntries(superAdmin, 'main', { limit: 100 });
      expect(items.map(text)).to.deep.equal(EXPECTED);
      expect(items[3]).to.deep.include({
        title: 'X',
        description: 'about it',
        claims: { org: 'acme' },
        source: 'a',
      });
    });

    it('returns the same rows with any page size', async () => {
      for (const [, actor] of UNCHECKED)
        for (const limit of [1, 2, 3, 4, 6, 7, 8])
          expect((await all(limit, read(actor))).map(text)).to.deep.equal(EXPECTED);
    });

    it('omits versions without claims, unless the caller may see unlabelled entries', async () => {
      const labelled = EXPECTED.filter((row) => !row.includes('acme/y') && !row.includes('acme/k'));
      for (const limit of [1, 3, 100])
        expect((await all(limit, read(acme))).map(text)).to.deep.equal(labelled);
    });

    it('fills pages when a filter removes entries', async () => {
      const filter = async (entries: readonly Entry[]) =>
        entries.filter(({ version }) => version === '1.0.0');
      const items = await all(2, (page) =>
        bench.admin.listRegistryEntries(superAdmin, 'main', { ...page, filter }),
      );
      expect(items.map(text)).to.deep.equal(EXPECTED.filter((row) => row.endsWith('1.0.0')));
    });

    it('continues after the last version while entries change', async () => {
      const first = await bench.admin.listRegistryEntries(superAdmin, 'main', { limit: 3 });
      const { id } = await bench.admin.getSource(superAdmin, 'a');
      await fill(bench.store, id, [
        of('acme/x', '1.0.0', { title: 'X', claims: { org: 'acme' } }),
        of('acme/aa', '1.0.0'),
        of('acme/z', '1.0.0', { claims: { org: 'other' } }),
      ]);
      const after = first.next ?? '';
      const rest = await bench.admin.listRegistryEntries(superAdmin, 'main', { limit: 10, after });
      expect(rest.items.map(text)).to.deep.equal(EXPECTED.slice(3, 6));
    });

    it('treats a hidden registry like an absent one, and rejects a foreign cursor', async () => {
      await bench.admin.putRegistry(superAdmin, 'far', { sources: ['a'], claims: { org: 'other' } });
      for (const name of ['far', 'absent'])
        expect(await codeOf(bench.admin.listRegistryEntries(acme, name, { limit: 1 }))).to.equal(
          'ERR_REGISTRY_NOT_FOUND',
        );
      for (const after of ['["server","a"]', '["server","a","b","c"]', '["server","a",0.5,"c"]'])
        expect(await codeOf(bench.admin.listRegistryEntries(acme, 'main', { limit: 1, after }))).to.equal(
          'ERR_CURSOR_INVALID',
        );
    });
  });
});
