import { expect } from 'chai';
import { define, fill } from '../support/fill.ts';
import { describeAdmin } from '../support/admin-suite.ts';
import {
  codeOf,
  gitSource,
  holding,
  managedSource,
  nobody,
  refusal,
  superAdmin,
  UNCHECKED,
} from '../support/actors.ts';

const acme = holding({ org: 'acme', team: ['eng', 'data'] });
const other = holding({ org: 'other' });

describeAdmin('RegistryAdmin: sources', (bench) => {
  const put = (actor: typeof acme, name = 'docs', more = {}, options = {}) =>
    bench.admin.putSource(actor, name, gitSource({ claims: { org: 'acme' }, ...more }), options);

  it('putSource › creates a source that is due at once, and returns its definition', async () => {
    const { created, source } = await put(acme, 'docs', {
      filter: { names: { include: ['acme/*'] } },
      claims: { org: 'acme', team: ['data', 'eng'] },
    });
    expect(created).to.equal(true);
    expect(source).to.deep.include({
      name: 'docs',
      kind: 'git',
      creationType: 'API',
      claimsFrom: 'source',
      block: { repository: 'https://git.acme.example/catalog.git' },
      filter: { names: { include: ['acme/*'] } },
      intervalMs: 60_000,
      claims: { org: 'acme', team: ['data', 'eng'] },
      createdAt: bench.now.toISOString(),
      updatedAt: bench.now.toISOString(),
    });
    expect(source.status).to.include({ phase: 'failed', message: 'No previous sync status found' });
    expect(await bench.admin.getSource(acme, 'docs')).to.deep.equal(source);
    const [due] = await bench.store.reading.selectFrom('sync_status').select('due_at_ms').execute();
    expect(due?.due_at_ms).to.equal(0);
    expect(bench.changes).to.deep.equal([{ what: 'source', name: 'docs' }]);
  });

  it('putSource › stores intervals as whole milliseconds, at least one', async () => {
    for (const [given, kept] of [
      [0.000_001, 1],
      [1.6, 2],
    ] as const)
      expect((await put(acme, 'docs', { intervalMs: given })).source.intervalMs).to.equal(kept);
  });

  it('getSource › returns the sync phase `complete` for a managed source', async () => {
    const { source } = await bench.admin.putSource(acme, 'mine', managedSource({ claims: { org: 'acme' } }));
    expect(source.status).to.include({ phase: 'complete', message: 'Non-synced source (type: managed)' });
  });

  it('getSource and listSources › treat a source of other claims like an absent one', async () => {
    await put(superAdmin, 'a');
    await put(superAdmin, 'b', { claims: { org: 'other' } });
    await put(superAdmin, 'c', { claims: {} });
    await put(superAdmin, 'd', { claims: { team: ['eng', 'ops'] } });
    const names = async (actor: typeof acme) =>
      (await bench.admin.listSources(actor)).map((source) => source.name);
    expect(await names(acme)).to.deep.equal(['a', 'd']);
    expect(await names(other)).to.deep.equal(['b']);
    expect(await names(nobody)).to.deep.equal([]);
    for (const [, actor] of UNCHECKED) expect(await names(actor)).to.deep.equal(['a', 'b', 'c', 'd']);
    const absent = await refusal(bench.admin.getSource(acme, 'x'));
    for (const name of ['b', 'c']) {
      const hidden = await refusal(bench.admin.getSource(acme, name));
      expect(hidden).to.deep.equal({ ...absent, message: absent.message.replace('"x"', `"${name}"`) });
    }
    expect(await codeOf(bench.admin.getSource(acme, 'a\0'))).to.equal('ERR_SOURCE_NOT_FOUND');
  });

  it('putSource › checks claims of the request first, except for a visible source of the configuration file', async () => {
    await define(
      bench.store,
      [
        { name: 'file', claims: { org: 'acme' } },
        { name: 'hidden-file', claims: { org: 'other' } },
      ],
      [],
    );
    await put(superAdmin, 'hidden', { claims: { org: 'other' } });
    const beyond = await refusal(put(acme, 'file', { claims: { org: 'other' } }));
    expect(beyond.code).to.equal('ERR_MADE_BY_FILE');
    expect(beyond.message).to.include('comes from the configuration file').and.include('do not hold');
    expect(await codeOf(put(nobody, 'file'))).to.equal('ERR_CLAIMS_BEYOND_CALLER');
    for (const name of ['new', 'hidden-file', 'hidden']) {
      for (const claims of [{ org: 'other' }, {}, { org: 'acme', team: ['eng', 'ops'] }]) {
        expect(await codeOf(put(acme, name, { claims }))).to.equal('ERR_CLAIMS_BEYOND_CALLER');
      }
      expect(await codeOf(put(nobody, name))).to.equal('ERR_CLAIMS_BEYOND_CALLER');
    }
    for (const [, actor] of UNCHECKED)
      expect((await put(actor, 'free', { claims: {} })).source.claims).to.deep.equal({});
  });

  it('putSource › checks in order: visibility, file definition, revision, kind', async () => {
    await define(
      bench.store,
      [
        { name: 'mine', claims: { org: 'acme' } },
        { name: 'theirs', claims: { org: 'other' } },
      ],
      [],
    );
    const stale = { ifMatch: ['stale'] };
    const kind = { kind: 'api' };
    expect(await codeOf(put(acme, 'theirs', kind, stale))).to.equal('ERR_SOURCE_NOT_FOUND');
    expect(await codeOf(bench.admin.deleteSource(acme, 'theirs', stale))).to.equal('ERR_SOURCE_NOT_FOUND');
    expect(await codeOf(put(acme, 'mine', kind, stale))).to.equal('ERR_MADE_BY_FILE');
    expect(await codeOf(bench.admin.deleteSource(acme, 'mine', stale))).to.equal('ERR_MADE_BY_FILE');
    await put(acme);
    expect(await codeOf(put(acme, 'docs', kind, stale))).to.equal('ERR_REVISION_CHANGED');
    expect(await codeOf(bench.admin.deleteSource(acme, 'docs', stale))).to.equal('ERR_REVISION_CHANGED');
    expect(await codeOf(put(acme, 'docs', kind))).to.equal('ERR_KIND_CHANGED');
    expect(await codeOf(put(acme, 'new', {}, { ifMatch: '*' }))).to.equal('ERR_SOURCE_NOT_FOUND');
    expect(await codeOf(put(acme, 'docs', {}, { ifAbsent: true }))).to.equal('ERR_REVISION_CHANGED');
  });

  it('putSource › rejects a changed location of a file', async () => {
    const variants = [['path'], ['url'], ['data']];
    const file = (block: Record<string, unknown>) => put(acme, 'file', { kind: 'file', block, variants });
    await file({ path: '/srv/a.json' });
    expect(await codeOf(file({ path: '/srv/b.json' }))).to.equal('none');
    expect(await codeOf(file({ url: 'https://acme.example/a.json' }))).to.equal('ERR_KIND_CHANGED');
    expect(await codeOf(file({ data: {} }))).to.equal('ERR_KIND_CHANGED');
    expect((await refusal(file({ data: {} }))).message)
      .to.include('of kind file (path)')
      .and.include('become file (data)');
  });

  it('putSource › accepts the current revision, and returns a new one after each change', async () => {
    const first = (await put(acme)).source.revision;
    const same = await put(acme, 'docs', {}, { ifMatch: [first, 'x'] });
    expect(same).to.deep.include({ created: false });
    expect(same.source.revision, 'nothing has changed').to.equal(first);
    const second = (await put(acme, 'docs', { claims: { org: 'acme', team: 'eng' } }, { ifMatch: '*' }))
      .source;
    expect(second.revision).to.not.equal(first);
    expect(await codeOf(put(acme, 'docs', {}, { ifMatch: [first] }))).to.equal('ERR_REVISION_CHANGED');
    await bench.admin.deleteSource(acme, 'docs', { ifMatch: [second.revision] });
    expect(await codeOf(bench.admin.getSource(acme, 'docs'))).to.equal('ERR_SOURCE_NOT_FOUND');
  });

  it('putSource › applies changed claims to entries at once, without a sync', async () => {
    const { source } = await put(superAdmin);
    await bench.admin.putRegistry(superAdmin, 'main', { sources: ['docs'], claims: {} });
    await fill(bench.store, source.id, [{ name: 'acme/x', version: '1.0.0' }]);
    await bench.store.writing.updateTable('sync_status').set({ due_at_ms: 5, fingerprint: 'f' }).execute();
    await put(superAdmin, 'docs', { claims: { org: 'other' } });
    expect((await bench.rows()).map((row) => row.claims)).to.deep.equal([{ org: 'other' }]);
    const status = () =>
      bench.store.reading.selectFrom('sync_status').select(['due_at_ms', 'fingerprint']).execute();
    expect(await status()).to.deep.equal([{ due_at_ms: 5, fingerprint: 'f' }]);
    await put(superAdmin, 'docs', { claims: { org: 'other' }, intervalMs: 5000 });
    expect(await status()).to.deep.equal([{ due_at_ms: 0, fingerprint: 'f' }]);
    await put(superAdmin, 'docs', { claims: { org: 'other' }, intervalMs: 5000, filter: { names: {} } });
    expect(await status()).to.deep.equal([{ due_at_ms: 0, fingerprint: null }]);
  });

  it('deleteSource › deletes its entries, or throws and names the visible registries that list it', async () => {
    const { source } = await put(superAdmin);
    await fill(bench.store, source.id, [{ name: 'acme/x', version: '1.0.0' }]);
    await bench.admin.putRegistry(superAdmin, 'seen', { sources: ['docs'], claims: { org: 'acme' } });
    await bench.admin.putRegistry(superAdmin, 'unseen', { sources: ['docs'], claims: { org: 'other' } });
    const used = await refusal(bench.admin.deleteSource(acme, 'docs'));
    expect(used.code).to.equal('ERR_SOURCE_IN_USE');
    expect(used.message).to.contain('"seen"').and.not.contain('unseen');
    await bench.admin.deleteRegistry(superAdmin, 'seen');
    expect((await refusal(bench.admin.deleteSource(acme, 'docs'))).message).to.not.contain('unseen');
    await bench.admin.deleteRegistry(superAdmin, 'unseen');
    await bench.admin.deleteSource(acme, 'docs');
    for (const table of ['entry', 'entry_version', 'sync_status'] as const)
      expect(await bench.store.reading.selectFrom(table).selectAll().execute()).to.deep.equal([]);
  });

  it('makes any source due for a sync at once', async () => {
    await define(bench.store, [{ name: 'file', claims: { org: 'acme' } }], []);
    await put(acme);
    await bench.admin.putSource(acme, 'mine', managedSource({ claims: { org: 'acme' } }));
    await put(superAdmin, 'hidden', { claims: { org: 'other' } });
    await bench.store.writing.updateTable('sync_status').set({ due_at_ms: 5 }).execute();
    for (const name of ['file', 'docs']) await bench.admin.requestSync(acme, name);
    expect(await codeOf(bench.admin.requestSync(acme, 'mine'))).to.equal('ERR_SOURCE_NOT_SYNCED');
    expect(await codeOf(bench.admin.requestSync(acme, 'hidden'))).to.equal('ERR_SOURCE_NOT_FOUND');
    const due = await bench.store.reading
      .selectFrom('sync_status')
      .innerJoin('source', 'source.id', 'source_id')
      .select('name')
      .where('due_at_ms', '=', 0)
      .orderBy('name')
      .execute();
    expect(due.map((row) => row.name)).to.deep.equal(['docs', 'file']);
    const asked = () =>
      bench.store.reading
        .selectFrom('sync_status')
        .select('source_id')
        .where('full_request', 'is not', null)
        .execute();
    expect(await asked(), 'nobody has asked for a full read').to.deep.equal([]);
    await bench.admin.requestSync(acme, 'docs', { full: true });
    expect(await asked()).to.have.lengthOf(1);
    bench.changes.pop();
    expect(bench.changes.slice(-2)).to.deep.equal([
      { what: 'sync', name: 'file' },
      { what: 'sync', name: 'docs' },
    ]);
  });
});
