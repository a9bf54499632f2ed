import { expect } from 'chai';
import type { Json } from '../../support/registry-under-test.ts';
import { onSharedServers } from './on-shared-servers.ts';
import { newLabel, newName, type Person, readPath } from './person.ts';

/*
 * Several sources in one registry: first, hidden entries are removed. Then the first source with a name
 * provides it, and then the list is split into pages.
 */

interface Listed {
  readonly servers: readonly { readonly server: { readonly name: string; readonly version: string } }[];
}

onSharedServers('shadowing and paging', 'full', (scene) => {
  const [first, second, third] = [newLabel(), newLabel(), newLabel()];
  const [main, reversed] = [newLabel(), newLabel()];
  before(async () => {
    const { admin } = scene();
    const sources = [first, second, third];
    for (const source of sources)
      await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims: { org: 'acme' } });
    const put = async (name: string, names: readonly string[]) =>
      await admin.must('PUT', `/v1/registries/${name}`, { sources: names, claims: { any: [] } });
    await put(main, sources);
    await put(reversed, sources.toReversed());
  });

  const reader = (claims: Json): Person => scene().person({ any: 'x', ...claims });

  /** Returns what a caller gets for a name from every path: list, versions, `latest`, and each version. */
  const everywhere = async (who: Person, name: string, asked: readonly string[], registry = main) => {
    const search = encodeURIComponent(name);
    const list = (
      await who.must('GET', `/registry/${registry}/v0.1/servers?search=${search}`)
    ).json<Listed>();
    const versionsPath = readPath(name, '', registry).slice(0, -1);
    const versions = await who.get(versionsPath);
    const latest = await who.get(readPath(name, 'latest', registry));
    const single: string[] = [];
    for (const version of asked)
      if ((await who.asks('GET', readPath(name, version, registry))) === 200) single.push(version);
    return {
      list: list.servers.map(({ server }) => server.version).toSorted(),
      versions:
        versions.status === 200
          ? versions
              .json<Listed>()
              .servers.map(({ server }) => server.version)
              .toSorted()
          : [],
      latest:
        latest.status === 200 ? latest.json<{ server: { version: string } }>().server.version : undefined,
      single,
    };
  };

  it('the first source of a registry wins in list, versions, version and `latest`, with all its versions (reference 541)', async () => {
    const { admin } = scene();
    const name = newName();
    await admin.publish(name, { org: 'acme' }, { source: first, version: '2.0.0' });
    await admin.publish(name, { org: 'acme' }, { source: first, version: '3.0.0' });
    await admin.publish(name, { org: 'acme' }, { source: second, version: '1.0.0' });
    await admin.publish(name, { org: 'acme' }, { source: second, version: '9.0.0' });
    const asked = ['1.0.0', '2.0.0', '3.0.0', '9.0.0'];
    const who = reader({ org: 'acme' });
    const ofFirst = ['2.0.0', '3.0.0'];
    expect(await everywhere(who, name, asked)).to.deep.equal({
      list: ofFirst,
      versions: ofFirst,
      latest: '3.0.0',
      single: ofFirst,
    });
    const ofSecond = ['1.0.0', '9.0.0'];
    expect(await everywhere(who, name, asked, reversed)).to.deep.equal({
      list: ofSecond,
      versions: ofSecond,
      latest: '9.0.0',
      single: ofSecond,
    });
  });

  it('claims apply before the order of sources: a name hidden in the first source comes from the next one', async () => {
    const { admin } = scene();
    const name = newName();
    await admin.publish(name, { org: 'other' }, { source: first, version: '5.0.0' });
    await admin.publish(name, { org: 'acme' }, { source: second, version: '1.0.0' });
    await admin.publish(name, undefined, { source: third, version: '0.1.0' });
    const asked = ['0.1.0', '1.0.0', '5.0.0'];
    const only = (version: string) => ({
      list: [version],
      versions: [version],
      latest: version,
      single: [version],
    });
    expect(await everywhere(reader({ org: 'acme' }), name, asked)).to.deep.equal(only('1.0.0'));
    expect(await everywhere(reader({ org: 'other' }), name, asked)).to.deep.equal(only('5.0.0'));
    expect(await everywhere(reader({ org: ['acme', 'other'] }), name, asked)).to.deep.equal(only('5.0.0'));
    expect(await everywhere(admin, name, asked)).to.deep.equal(only('5.0.0'));
    expect(await everywhere(admin, name, asked, reversed)).to.deep.equal(only('0.1.0'));
    expect(await everywhere(reader({}), name, asked)).to.deep.equal({
      list: [],
      versions: [],
      latest: undefined,
      single: [],
    });
  });

  it('the winner follows a change of claims', async () => {
    const { admin } = scene();
    const name = newName();
    await admin.publish(name, { org: 'acme' }, { source: first, version: '2.0.0' });
    await admin.publish(name, { org: 'acme' }, { source: second, version: '1.0.0' });
    const who = reader({ org: 'acme' });
    expect((await everywhere(who, name, [])).list).to.deep.equal(['2.0.0']);
    const path = `/v1/entries/server/${encodeURIComponent(name)}/claims?source=${first}`;
    await admin.must('PUT', path, { claims: { org: 'other' } });
    expect((await everywhere(who, name, [])).list).to.deep.equal(['1.0.0']);
    await admin.must('PUT', path, { claims: { org: 'acme' } });
    expect((await everywhere(who, name, [])).list).to.deep.equal(['2.0.0']);
  });

  it('the same winner applies across pages', async () => {
    const { admin } = scene();
    const registry = newLabel();
    const sources = [newLabel(), newLabel()];
    for (const source of sources)
      await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims: { org: 'acme' } });
    await admin.must('PUT', `/v1/registries/${registry}`, { sources, claims: { any: [] } });
    const name = newName();
    const versions = ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0'];
    // The versions of the second source sort between those of the first.
    for (const version of versions)
      await admin.publish(name, { org: 'acme' }, { source: sources[0] ?? '', version });
    for (const version of versions.map((text) => `${text}-beta`))
      await admin.publish(name, { org: 'acme' }, { source: sources[1] ?? '', version });
    const who = reader({ org: 'acme' });
    for (const limit of [1, 2, 3, 7]) {
      const rows: string[] = [];
      let cursor = '';
      do {
        const path = `/registry/${registry}/v0.1/servers?limit=${limit}${cursor}`;
        const page = (await who.must('GET', path)).json<Listed & { metadata: { nextCursor?: string } }>();
        rows.push(...page.servers.map(({ server }) => server.version));
        cursor =
          page.metadata.nextCursor === undefined
            ? ''
            : `&cursor=${encodeURIComponent(page.metadata.nextCursor)}`;
      } while (cursor !== '');
      expect(rows.toSorted(), `limit ${limit}`).to.deep.equal(versions);
    }
  });

  it('pages are complete for a caller who sees one entry in ten', async () => {
    const { admin } = scene();
    const [source, registry] = [newLabel(), newLabel()];
    const names = Array.from({ length: 250 }, (_, at) => `com.acme/${source}-${String(at).padStart(3, '0')}`);
    const servers = (wanted: (at: number) => boolean) =>
      names
        .filter((_, at) => wanted(at))
        .map((name) => ({
          $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
          name,
          description: 'One of many.',
          version: '1.0.0',
        }));
    const define = async (label: string, claims: Json, wanted: (at: number) => boolean): Promise<void> => {
      const data = JSON.stringify({ version: '1.0.0', data: { servers: servers(wanted) } });
      await admin.must('PUT', `/v1/sources/${label}`, {
        file: { data },
        syncPolicy: { interval: '1h' },
        claims,
      });
    };
    await define(source, { team: 'one' }, (at) => at % 10 === 3);
    await define(`${source}-rest`, { team: 'rest' }, (at) => at % 10 !== 3);
    await admin.must('PUT', `/v1/registries/${registry}`, {
      sources: [source, `${source}-rest`],
      claims: { any: [] },
    });
    await admin.awaits(names[249] ?? '', registry);
    await admin.awaits(names[243] ?? '', registry);
    const seen = names.filter((_, at) => at % 10 === 3);
    for (const limit of [1, 10, 24, 25, 100]) {
      const pages = await reader({ team: 'one' }).pages(registry, limit);
      expect(pages.flat(), `limit ${limit}`).to.deep.equal(seen);
      const full = pages.slice(0, -1).every((page) => page.length === limit);
      expect(full, `full pages of ${limit}`).to.equal(true);
      expect(pages.length, `limit ${limit}`).to.equal(Math.ceil(seen.length / limit));
    }
    expect(await reader({ team: ['one', 'rest'] }).listed(registry, 30)).to.deep.equal(names);
    expect(await admin.listed(registry, 7)).to.deep.equal(names);
  });

  it('a cursor of another caller shows only entries that this caller may see', async () => {
    const { admin } = scene();
    const [source, registry] = [newLabel(), newLabel()];
    await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims: { org: 'acme' } });
    await admin.must('PUT', `/v1/registries/${registry}`, { sources: [source], claims: { any: [] } });
    const hidden: string[] = [];
    for (let at = 0; at < 4; at += 1) hidden.push(await admin.published({ team: 'secret' }, { source }));
    const visible = await admin.published({ org: 'acme' }, { source });
    const path = `/registry/${registry}/v0.1/servers?limit=2`;
    const page = (await admin.must('GET', path)).json<{ metadata: { nextCursor: string } }>();
    const answer = await reader({ org: 'acme' }).must(
      'GET',
      `${path}&cursor=${encodeURIComponent(page.metadata.nextCursor)}`,
    );
    for (const name of hidden) expect(answer.text).to.not.include(`"${name}"`);
    expect(await reader({ org: 'acme' }).listed(registry, 2)).to.deep.equal([visible]);
  });
});
