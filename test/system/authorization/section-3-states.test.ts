import { expect } from 'chai';
import type { Json } from '../../support/registry-under-test.ts';
import { onSharedServers } from './on-shared-servers.ts';
import { entryPath, type Person, readPath } from './person.ts';

/*
 * "States and transitions: not shown." In addition to the document: a version is active, deprecated or
 * deleted. Publications and deletions make and remove versions. Each transition needs the role and the claims
 * of a deletion.
 */

interface Official {
  readonly status: string;
  readonly isLatest: boolean;
  readonly statusMessage?: string;
}

interface Shown {
  readonly server: { readonly version: string };
  readonly _meta: { readonly 'io.modelcontextprotocol.registry/official': Official };
}

const officialOf = (shown: Shown): Official => shown['_meta']['io.modelcontextprotocol.registry/official'];

onSharedServers('section 3, states of an entry', 'full', (scene) => {
  const publisherOf = (): Person => scene().person({ org: 'acme', role: 'entries' });
  const withVersions = async (who: Person, ...versions: readonly string[]): Promise<string> => {
    const [first, ...others] = versions;
    const name = await who.published({ org: 'acme' }, first === undefined ? {} : { version: first });
    for (const version of others)
      expect((await who.publish(name, { org: 'acme' }, { version })).status).to.equal(201);
    return name;
  };
  const latest = async (who: Person, name: string): Promise<string> =>
    (await who.must('GET', readPath(name))).json<Shown>().server.version;
  const setStatus = async (who: Person, name: string, version: string, change: Json) =>
    await who.send('PATCH', `${entryPath(name)}/versions/${version}/status`, change);

  it('PATCH …/status › deprecates a version, shows the status, and makes it active again', async () => {
    const who = publisherOf();
    const name = await withVersions(who, '1.0.0');
    const change = { status: 'deprecated', statusMessage: 'Use com.acme/notes2' };
    const answer = await setStatus(who, name, '1.0.0', change);
    expect(answer.status).to.equal(200);
    expect(officialOf(answer.json<Shown>())).to.deep.include(change);
    const read = await who.must('GET', readPath(name));
    expect(officialOf(read.json<Shown>())).to.deep.include({ ...change, isLatest: true });
    expect(await who.listed()).to.include(name);
    await setStatus(who, name, '1.0.0', { status: 'active' });
    const again = officialOf((await who.must('GET', readPath(name))).json<Shown>());
    expect(again).to.deep.include({ status: 'active' }).and.not.have.property('statusMessage');
  });

  it('PATCH …/status › withdraws a version: lists omit it, and `latest` becomes the highest other version', async () => {
    const who = publisherOf();
    const name = await withVersions(who, '1.0.0', '2.0.0');
    expect(await latest(who, name)).to.equal('2.0.0');
    expect((await setStatus(who, name, '2.0.0', { status: 'deleted' })).status).to.equal(200);
    expect(await latest(who, name)).to.equal('1.0.0');
    const versions = readPath(name, '').slice(0, -1);
    const rows = (await who.must('GET', versions)).json<{ servers: readonly Shown[] }>().servers;
    expect(rows.map(({ server }) => server.version)).to.deep.equal(['1.0.0']);
    const all = (await who.must('GET', `${versions}?include_deleted=true`)).json<{
      servers: readonly Shown[];
    }>();
    expect(all.servers.map(({ server }) => server.version)).to.have.members(['1.0.0', '2.0.0']);
  });

  it('PATCH …/status › restores a withdrawn version, which is the latest again', async () => {
    const who = publisherOf();
    const name = await withVersions(who, '1.0.0', '2.0.0');
    await setStatus(who, name, '2.0.0', { status: 'deleted' });
    expect((await setStatus(who, name, '2.0.0', { status: 'active' })).status).to.equal(200);
    expect(await latest(who, name)).to.equal('2.0.0');
  });

  it('a withdrawn version string stays in use; deletion frees it', async () => {
    const who = publisherOf();
    const name = await withVersions(who, '1.0.0', '2.0.0');
    await setStatus(who, name, '2.0.0', { status: 'deleted' });
    expect((await who.publish(name, { org: 'acme' }, { version: '2.0.0' })).status).to.equal(409);
    expect(await who.asks('DELETE', `${entryPath(name)}/versions/2.0.0`)).to.equal(204);
    expect((await who.publish(name, { org: 'acme' }, { version: '2.0.0' })).status).to.equal(201);
    expect(await latest(who, name)).to.equal('2.0.0');
  });

  it('PATCH …/status › deprecates and withdraws all versions of an entry at once', async () => {
    const who = publisherOf();
    const name = await withVersions(who, '1.0.0', '1.1.0', '1.2.0');
    const path = `${entryPath(name)}/status`;
    const answer = await who.must('PATCH', path, { status: 'deprecated', statusMessage: 'Old' });
    expect(answer.json()).to.deep.include({ updatedCount: 3 });
    await who.must('PATCH', path, { status: 'deleted' });
    expect(await who.listed()).to.not.include(name);
    await who.must('PATCH', path, { status: 'active' });
    expect(await who.listed()).to.include(name);
    expect(await who.asks('PATCH', path, { status: 'active' })).to.equal(400);
  });

  it('PATCH …/status › responds 400 to an invalid status or message', async () => {
    const who = publisherOf();
    const name = await withVersions(who, '1.0.0');
    const bad: readonly Json[] = [
      {},
      { status: 'gone' },
      { status: 'active' },
      { status: 'active', statusMessage: 'Fine' },
      { status: 'deprecated', statusMessage: 'x'.repeat(501) },
      { status: 'deprecated', statusMessage: 5 },
    ];
    for (const change of bad)
      expect((await setStatus(who, name, '1.0.0', change)).status, JSON.stringify(change)).to.equal(400);
    expect((await setStatus(who, name, '9.9.9', { status: 'deleted' })).status).to.equal(404);
    expect((await setStatus(who, 'com.acme/absent', '1.0.0', { status: 'deleted' })).status).to.equal(404);
  });

  it('DELETE › of the latest version moves `latest`; of the last version removes the entry', async () => {
    const who = publisherOf();
    const name = await withVersions(who, '1.0.0', '1.10.0', '1.9.0');
    const remove = async (version: string): Promise<number> =>
      await who.asks('DELETE', `${entryPath(name)}/versions/${version}`);
    expect(await latest(who, name)).to.equal('1.10.0');
    expect(await remove('latest')).to.equal(404);
    expect(await remove('1.10.0')).to.equal(204);
    expect(await remove('1.10.0')).to.equal(404);
    expect(await latest(who, name)).to.equal('1.9.0');
    expect(await remove('1.0.0')).to.equal(204);
    expect(await latest(who, name)).to.equal('1.9.0');
    expect(await remove('1.9.0')).to.equal(204);
    for (const path of [readPath(name), `${entryPath(name)}/claims`])
      expect(await who.asks('GET', path), path).to.equal(404);
    expect(await who.listed()).to.not.include(name);
  });

  it('DELETE › of the last version removes the claims; the next publisher sets new ones', async () => {
    const who = publisherOf();
    const name = await withVersions(who, '1.0.0');
    await who.must('DELETE', `${entryPath(name)}/versions/1.0.0`);
    const other = scene().person({ org: 'acme', team: 'data', role: 'entries' });
    expect((await other.publish(name, { team: 'data' })).status).to.equal(201);
    expect(await who.asks('GET', `${entryPath(name)}/claims`)).to.equal(404);
  });

  it('every transition needs the rights of a deletion', async () => {
    const who = publisherOf();
    const name = await withVersions(who, '1.0.0');
    const { person } = scene();
    for (const [claims, expected] of [
      [{ org: 'acme' }, 403],
      [{ org: 'acme', role: 'sources' }, 403],
      [{ org: 'other', role: 'entries' }, 404],
    ] as const) {
      const caller = person(claims);
      const about = JSON.stringify(claims);
      const status = await setStatus(caller, name, '1.0.0', { status: 'deprecated' });
      expect(status.status, about).to.equal(expected);
      const all = await caller.asks('PATCH', `${entryPath(name)}/status`, { status: 'deprecated' });
      expect(all, about).to.equal(expected);
      expect(await caller.asks('DELETE', `${entryPath(name)}/versions/1.0.0`), about).to.equal(expected);
    }
  });

  it('skills and plugins have the same states, by full or bare name', async () => {
    const who = publisherOf();
    for (const type of ['skill', 'plugin'] as const) {
      const name = await who.publishedExtension(type, { org: 'acme' });
      const [, bare = ''] = name.split('/');
      const read = `/registry/main/v0.1/x/dev.toolhive/${type}s/${name}`;
      await who.must('PATCH', `${entryPath(bare, type)}/versions/1.0.0/status`, { status: 'deprecated' });
      await who.must('PATCH', `${entryPath(name, type)}/status`, { status: 'deleted' });
      await who.must('PATCH', `${entryPath(name, type)}/status`, { status: 'active' });
      expect(await who.asks('GET', read), type).to.equal(200);
      await who.must('DELETE', `${entryPath(bare, type)}/versions/1.0.0`);
      expect(await who.asks('GET', read), type).to.equal(404);
    }
  });
});
