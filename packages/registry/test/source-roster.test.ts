import { expect } from 'chai';
import { PortolanError, type SourceKind, type SyncRecord } from '@portolan/plugin-api';
import {
  type SourceRoster,
  startSourceRoster,
  startSyncScheduler,
  type SyncScheduler,
} from '@portolan/registry';
import { gitSource, managedSource, superAdmin } from './support/actors.ts';
import { describeAdmin } from './support/admin-suite.ts';
import { silent } from './support/engines.ts';
import { define } from './support/fill.ts';
import { server, SettableSource } from './support/settable-source.ts';
import { until } from './support/until.ts';

const kind: SourceKind = {
  kind: 'git',
  config: { type: 'object', properties: {} },
  claimsFrom: 'source',
  create: () => new SettableSource(),
};

describeAdmin('startSourceRoster', (bench) => {
  let scheduler: SyncScheduler;
  let roster: SourceRoster;
  let made: { name: string; repository: unknown; instance: SettableSource }[];
  let syncs: SyncRecord[];
  let fault: Error | undefined;

  const start = async (pollMs: number, retryMs?: number) => {
    const store = await bench.other();
    made = [];
    syncs = [];
    fault = undefined;
    scheduler = startSyncScheduler({
      store,
      sources: [],
      logger: silent,
      clock: () => new Date(),
      maxMetaSize: 1000,
      completed: (record) => void syncs.push(record),
    });
    roster = startSourceRoster({
      store,
      scheduler,
      logger: silent,
      pollMs,
      ...(retryMs === undefined ? {} : { retryMs }),
      async create({ block }, name) {
        if (fault !== undefined) throw fault;
        const instance = new SettableSource();
        const repository = block['repository'];
        instance.items = [server(`acme/${name}`, { title: String(repository) }), server('other/one')];
        made.push({ name, repository, instance });
        return { kind, instance };
      },
    });
  };

  afterEach(async () => {
    await roster.stop();
    await scheduler.stop();
  });

  const put = (name: string, more = {}) =>
    bench.admin.putSource(superAdmin, name, gitSource({ claims: { a: 'b' }, ...more }));
  const names = async () =>
    (await bench.store.reading.selectFrom('entry_version').select('name').orderBy('name').execute()).map(
      (row) => row.name,
    );
  const statusOf = async (name: string) => (await bench.admin.getSource(superAdmin, name)).status;

  it('syncs a new source once after a refresh', async () => {
    await start(3_600_000);
    await put('docs');
    await roster.refresh();
    await until('the entries', async () => (await names()).includes('acme/docs'));
    await until('the status', async () => (await statusOf('docs')).phase === 'complete');
    expect(made).to.have.lengthOf(1);
    expect(made[0]?.instance.reads).to.equal(1);
    await roster.refresh();
    expect(made).to.have.lengthOf(1);
  });

  it('finds sources that another replica created, changed and deleted', async () => {
    await start(10);
    await put('docs');
    await until('the entries', async () => (await names()).length === 2);
    await put('docs', { block: { repository: 'second' }, filter: { names: { include: ['acme/*'] } } });
    await until('the new source', () => made.length === 2);
    await until('the filter', async () => (await names()).join() === 'acme/docs');
    expect(made[0]?.instance.closed).to.equal(1);
    await bench.admin.deleteSource(superAdmin, 'docs');
    await until('its end', () => made[1]?.instance.closed === 1);
    expect(await names()).to.deep.equal([]);
    await put('docs', { block: { repository: 'third' } });
    await until('the entries of another one of that name', async () => (await names()).length === 2);
  });

  it('applies a new interval, and does not restart a source when only claims change', async () => {
    await start(10);
    await put('docs');
    await until('the entries', async () => (await names()).length === 2);
    await put('docs', { claims: { a: 'c' } });
    await roster.refresh();
    expect(made).to.have.lengthOf(1);
    await put('docs', { intervalMs: 20 });
    await until('several syncs', () => (made[1]?.instance.reads ?? 0) > 2);
  });

  it('ignores sources of the configuration file and managed sources', async () => {
    await define(bench.store, [{ name: 'file' }], []);
    await bench.admin.putSource(superAdmin, 'mine', managedSource());
    await put('docs');
    await start(3_600_000);
    await roster.refresh();
    expect(made.map(({ name }) => name)).to.deep.equal(['docs']);
  });

  it('syncs existing sources at its start, due or not', async () => {
    await put('docs');
    await bench.store.writing
      .updateTable('sync_status')
      .set({ due_at_ms: Date.now() + 3_600_000 })
      .execute();
    await start(3_600_000);
    await until('the entries', async () => (await names()).length === 2);
  });

  it('reports why a source cannot be opened, and tries again with the next definition', async () => {
    await start(3_600_000);
    fault = new PortolanError('ERR_PLUGIN_CREATE', 'mistake', 'There is no such kind here.');
    await put('docs');
    await put('fine');
    await roster.refresh();
    expect(await statusOf('docs')).to.include({
      phase: 'failed',
      message: 'There is no such kind here.',
      attemptCount: 1,
    });
    await roster.refresh();
    expect(await statusOf('docs'), 'it is not tried again for nothing').to.include({ attemptCount: 1 });
    fault = new Error('connect ECONNREFUSED 10.1.2.3');
    await put('docs', { block: { repository: 'else' } });
    await roster.refresh();
    expect((await statusOf('docs')).message).to.not.contain('10.1.2.3');
    fault = undefined;
    await put('docs', { block: { repository: 'third' } });
    await roster.refresh();
    await until('the entries', async () => (await names()).includes('acme/docs'));
  });

  it('retries after a pause when a source cannot be opened', async () => {
    await start(10, 50);
    fault = new Error('not yet');
    await put('docs');
    await until('a second attempt', async () => (await statusOf('docs')).attemptCount > 1);
    fault = undefined;
    await until('the entries', async () => (await names()).length === 2);
  });

  it('leaves the status to the replica that can open the source, until the source is due', async () => {
    await start(10, 20);
    await put('docs');
    await until('the sync', async () => (await statusOf('docs')).phase === 'complete');
    let tries = 0;
    const without = startSourceRoster({
      store: bench.store,
      scheduler,
      logger: silent,
      pollMs: 10,
      retryMs: 20,
      create: async () => {
        tries += 1;
        throw new PortolanError('ERR_PLUGIN_CREATE', 'mistake', 'There is no such kind here.');
      },
    });
    try {
      await until('some attempts', () => tries > 3);
      expect(await statusOf('docs')).to.include({ phase: 'complete', attemptCount: 0 });
      await scheduler.remove('docs');
      await bench.admin.requestSync(superAdmin, 'docs');
      await until('the failure', async () => (await statusOf('docs')).phase === 'failed');
    } finally {
      await without.stop();
    }
  });

  it('closes every source when it stops, also during a sync', async () => {
    await start(3_600_000);
    await put('docs');
    await put('more');
    await roster.refresh();
    await roster.stop();
    expect(made.map(({ instance }) => [instance.running, instance.closed])).to.deep.equal([
      [0, 1],
      [0, 1],
    ]);
    await put('late');
    await roster.refresh();
    expect(made).to.have.lengthOf(2);
  });
});
