import { access, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadItem, ReadContext, Source } from '@portolan/plugin-api';
import { leavesNothingOpen } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { Store } from '@portolan/registry';
import { leaseOwner, Leases } from '../src/sync/schedule/lease.ts';
import { takeScratchLock } from '../src/sync/scratch/scratch-lock.ts';
import { sweepScratch } from '../src/sync/schedule/sync-scheduler.ts';
import { syncSource } from '../src/sync/sync-source.ts';
import type { SyncedSource, SyncContext } from '../src/sync/synced-source.ts';
import { forEachEngine, openTestStore, silent, type TestDatabase } from './support/engines.ts';
import { define } from './support/fill.ts';
import { server } from './support/settable-source.ts';

/** Notes in its folder how often it was read there. */
class NotingSource implements Source {
  readonly found: number[] = [];
  folder = '';
  writes = 10;
  given: ReadContext | undefined;
  during: () => Promise<void> = async () => undefined;

  async *readEntries(_: AbortSignal, context: ReadContext): AsyncGenerator<ReadItem> {
    this.given = context;
    this.folder = await context.scratch.open();
    const names = await readdir(this.folder);
    this.found.push(names.length);
    await writeFile(join(this.folder, `read-${names.length}`), 'x'.repeat(this.writes));
    await this.during();
    yield server('acme/one');
  }
}

forEachEngine((engine) => {
  describe('scratch folder of a source', () => {
    let database: TestDatabase;
    let store: Store;
    let directory: string;

    beforeEach(async () => {
      database = await engine.make();
      store = await openTestStore(database.config);
      directory = await mkdtemp(join(tmpdir(), 'portolan-scratch-'));
    });

    afterEach(async () => {
      await store.close();
      await database.drop();
      await rm(directory, { recursive: true, force: true });
    });

    const context = (more: Partial<SyncContext> = {}): SyncContext => {
      const owner = leaseOwner();
      const scratch = { directory, maxBytes: 1000 };
      const around = { store, owner, logger: silent, clock: () => new Date(), maxMetaSize: 1000, scratch };
      return { ...around, leases: new Leases(store, owner), ...more };
    };

    const open = async (instance: Source, name = 'docs'): Promise<SyncedSource> => {
      const id = (await define(store, [{ name }], [])).get(name) ?? 0;
      return { id, name, instance, claimsFrom: 'source', filter: undefined, intervalMs: 3_600_000 };
    };

    const sync = async (source: SyncedSource, around = context()) => {
      expect(await around.leases.take(source, true), 'the lease').to.equal(true);
      return await syncSource(source, around, new AbortController().signal);
    };

    const messageOf = async () =>
      (await store.reading.selectFrom('sync_status').select('message').executeTakeFirstOrThrow()).message;

    it('belongs to one source, only its user can read it, and it survives restarts', async () => {
      const instance = new NotingSource();
      const source = await open(instance, '..%2F"weird\\name"');
      await leavesNothingOpen(async () => {
        for (let turn = 0; turn < 3; turn += 1)
          expect(await sync(source, context())).to.include({ error: undefined });
      });
      expect(instance.found).to.deep.equal([0, 1, 2]);
      expect(instance.folder.startsWith(`${directory}/`)).to.equal(true);
      expect((await stat(instance.folder)).mode & 0o777).to.equal(0o700);
      expect((await stat(join(instance.folder, '..'))).mode & 0o777).to.equal(0o700);
      expect(instance.given?.scratch.maxBytes).to.equal(1000);
    });

    it('is emptied above its maximum size, and the status reports it', async () => {
      const instance = new NotingSource();
      const source = await open(instance);
      instance.writes = 1001;
      await sync(source);
      expect(await messageOf()).to.equal(
        'Sync completed successfully. Its scratch folder held more than 1000 bytes, and was emptied.',
      );
      instance.writes = 5;
      await sync(source);
      expect(await messageOf()).to.equal('Sync completed successfully');
      expect(instance.found).to.deep.equal([0, 0]);
    });

    it('is emptied when the definition of its source changes', async () => {
      const instance = new NotingSource();
      const source = await open(instance);
      await sync(source);
      await store.writing.updateTable('source').set({ block: '{"path":"other"}' }).execute();
      await sync(source);
      await sync(source);
      expect(instance.found).to.deep.equal([0, 0, 1]);
    });

    const damages: Readonly<Record<string, (folder: string) => Promise<void>>> = {
      'a lock that is nonsense': (folder) => writeFile(join(folder, 'lock'), 'nonsense'.repeat(2000)),
      'a folder in place of its lock': async (folder) => {
        await rm(join(folder, 'lock'));
        await mkdir(join(folder, 'lock'));
      },
      'a folder in place of what it is for': async (folder) => {
        await rm(join(folder, 'definition'));
        await mkdir(join(folder, 'definition', 'x'), { recursive: true });
      },
      'a file in place of its files': async (folder) => {
        await rm(join(folder, 'files'), { recursive: true });
        await writeFile(join(folder, 'files'), '');
      },
      'a file in its place': async (folder) => {
        await rm(folder, { recursive: true });
        await writeFile(folder, '');
      },
    };
    for (const [title, damage] of Object.entries(damages)) {
      it(`is created again when it is damaged: ${title}`, async () => {
        const instance = new NotingSource();
        const source = await open(instance);
        await sync(source);
        await damage(join(instance.folder, '..'));
        expect(await sync(source)).to.include({ error: undefined });
        expect(await sync(source)).to.include({ error: undefined });
        expect(instance.found.at(-1), 'what it holds is kept again').to.be.at.least(1);
      });
    }

    it('is deleted with its source, but not while a process uses it', async () => {
      const instance = new NotingSource();
      await sync(await open(instance));
      const folder = join(instance.folder, '..');
      await sweepScratch(context());
      await access(folder);
      await store.writing.deleteFrom('source').execute();
      const unlock = await takeScratchLock(join(folder, 'lock'));
      await sweepScratch(context());
      await access(folder);
      unlock?.();
      await sweepScratch(context());
      expect(await readdir(join(folder, '..'))).to.deep.equal([]);
    });

    it('is locked while a process that lost its lease still uses it', async () => {
      const instance = new NotingSource();
      const source = await open(instance);
      let second: Promise<{ readonly error: string | undefined }> | undefined;
      let isOver = false;
      const next = new NotingSource();
      instance.during = async () => {
        await store.writing.updateTable('sync_status').set({ lease_owner: null }).execute();
        second = sync({ ...source, instance: next }).finally(() => (isOver = true));
        for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        expect([isOver, next.found.length]).to.deep.equal([false, 0]);
      };
      expect((await sync(source)).error).to.contain('took over');
      expect((await second)?.error).to.equal(undefined);
      expect(next.found).to.deep.equal([1]);
    });

    it('cannot be opened after the sync, or on a server without a scratch folder', async () => {
      const instance = new NotingSource();
      const source = await open(instance);
      await sync(source);
      let thrown: unknown;
      await instance.given?.scratch.open().catch((error: unknown) => (thrown = error));
      expect(thrown).to.be.instanceOf(TypeError);
      expect((await sync(source, context({ scratch: undefined }))).error).to.contain('no scratch folder');
      await writeFile(join(directory, 'file'), '');
      const blocked = { directory: join(directory, 'file'), maxBytes: 1 };
      expect((await sync(source, context({ scratch: blocked }))).error).to.contain('cannot be used');
    });
  });
});
