import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { sql } from 'kysely';
import { isPortolanError } from '@portolan/plugin-api';
import { openStore, type Store } from '@portolan/registry';
import {
  DATABASE_DEFAULTS,
  forEachEngine,
  openTestStore,
  silent,
  type TestDatabase,
} from './support/engines.ts';
import { define, fill } from './support/fill.ts';

/** The code of what a promise is rejected with. */
async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (isPortolanError(error)) return error.code;
    throw error;
  }
  return 'nothing thrown';
}

describe('openStore', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portolan-test-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const open = (url: string | undefined, more: object = {}): Promise<Store> =>
    openStore(
      { ...DATABASE_DEFAULTS, ...(url === undefined ? {} : { url }), ...more },
      {
        directory: folder,
        environment: { XDG_DATA_HOME: join(folder, 'data') },
        logger: silent,
        connMaxLifetimeMs: 1000,
      },
    );

  it('puts its file into the data directory of the user by default', async () => {
    const store = await open(undefined);
    await store.close();
    expect(store.where).to.equal(join(folder, 'data', 'portolan', 'registry.db'));
  });

  it('resolves a relative path against the folder of the configuration', async () => {
    const store = await open('sqlite:./deep/registry.db');
    await store.close();
    expect(store.where).to.equal(join(folder, 'deep', 'registry.db'));
  });

  it('opens an existing database again', async () => {
    const first = await open('sqlite:a.db');
    await first.migrations.up();
    await first.close();
    const second = await open('sqlite:a.db');
    expect((await second.migrations.status()).every((state) => state.appliedAt !== undefined)).to.equal(true);
    await second.close();
  });

  const foreign: readonly {
    readonly title: string;
    make(path: string): Promise<void>;
    readonly code: string;
  }[] = [
    {
      title: 'a text file',
      make: (path) => writeFile(path, 'shopping list\n'.repeat(20)),
      code: 'ERR_DATABASE_FOREIGN',
    },
    { title: 'a short file', make: (path) => writeFile(path, 'x'), code: 'ERR_DATABASE_FOREIGN' },
    {
      title: 'a SQLite database of another program',
      make: async (path) => {
        const other = new DatabaseSync(path);
        other.exec('create table note (text)');
        other.close();
      },
      code: 'ERR_DATABASE_FOREIGN',
    },
    {
      title: 'a folder',
      make: (path) => mkdir(path).then(() => undefined),
      code: 'ERR_DATABASE_NOT_WRITABLE',
    },
    {
      title: 'a damaged Portolan database',
      make: async (path) => {
        const store = await open(`sqlite:${path}`);
        await store.migrations.up();
        await store.close();
        const bytes = await readFile(path);
        bytes.fill(0xa5, 4096 + 100, bytes.length - 4096);
        await writeFile(path, bytes);
      },
      code: 'ERR_DATABASE_CORRUPT',
    },
  ];
  for (const { title, code, ...found } of foreign) {
    it(`throws for ${title}, and leaves it unchanged`, async () => {
      const path = join(folder, 'found.db');
      await found.make(path);
      const before = code === 'ERR_DATABASE_NOT_WRITABLE' ? undefined : await readFile(path);
      expect(await codeOf(open(`sqlite:${path}`))).to.equal(code);
      if (before !== undefined) expect(before.equals(await readFile(path))).to.equal(true);
    });
  }

  it('throws when a folder cannot be created', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await codeOf(open('sqlite:file/inside/registry.db'))).to.equal('ERR_DATABASE_NOT_WRITABLE');
  });

  it('accepts sqlite:///PATH as the absolute path, character by character', async () => {
    const file = join(folder, 'a%2Fb %zz.db');
    const store = await open(`sqlite://${file}`);
    await store.close();
    expect(store.where).to.equal(file);
  });

  for (const url of ['mysql://db/x', 'registry.db', 'sqlite:', '', 'postgres://[bad/x']) {
    it(`throws for the address "${url}"`, async () => {
      expect(await codeOf(open(url))).to.equal('ERR_DATABASE_URL');
    });
  }

  it('reports within its timeout that PostgreSQL is down, without a password', async () => {
    const store = await open('postgres://ada:s3cret@127.0.0.1:1/registry');
    try {
      await store.migrations.status();
      expect.fail('a database that is down answered');
    } catch (error) {
      if (!isPortolanError(error)) throw error;
      expect(error.code).to.equal('ERR_DATABASE_UNAVAILABLE');
      expect(error.message).to.contain('127.0.0.1:1/registry').and.not.contain('s3cret');
    } finally {
      await store.close();
    }
  });

  it('gives up on a PostgreSQL that accepts connections and never responds', async function () {
    this.timeout(180_000);
    const server: Server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const store = await open(undefined, {
      host: '127.0.0.1',
      port,
      user: 'ada',
      database: 'x',
      sslMode: 'disable',
      password: 'p',
    });
    expect(await codeOf(store.migrations.status())).to.equal('ERR_DATABASE_UNAVAILABLE');
    await store.close();
    server.close();
  });

  it('names the setting when PostgreSQL has no TLS and the configuration requests none', async () => {
    // What such a server answers to the request for TLS: the letter N, and it waits.
    const server = createServer((socket) => socket.once('data', () => socket.write('N')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const store = await open(undefined, {
      host: '127.0.0.1',
      port,
      user: 'ada',
      database: 'x',
      password: 'p',
    });
    const refusal = await store.migrations.status().catch((error: unknown) => error);
    await store.close();
    server.close();
    if (!isPortolanError(refusal)) throw refusal;
    expect(refusal.code).to.equal('ERR_DATABASE_UNAVAILABLE');
    expect(refusal.message).to.contain('does not support SSL');
    expect(refusal.hint).to.match(/^Set `database\.sslMode: disable` if the connection needs no TLS/);
  });
});

describe('readPools', () => {
  forEachEngine((engine) => {
    it('returns the connections of each pool, when the engine has pools', async () => {
      const database = await engine.make();
      const store = await openTestStore({ ...database.config, maxOpenConns: 2 });
      const isPooled = store.engine === 'postgres';
      const pool = { name: 'serving', max: 2 };
      await store.reading.connection().execute(async (db) => {
        await sql`select 1`.execute(db);
        const used = [{ ...pool, open: 1, idle: 0, waiting: 0 }];
        expect(store.readPools()).to.deep.equal(isPooled ? used : []);
      });
      const idle = [{ ...pool, open: 1, idle: 1, waiting: 0 }];
      expect(store.readPools()).to.deep.equal(isPooled ? idle : []);
      await store.close();
      await database.drop();
    });
  });
});

forEachEngine((engine) => {
  describe('Migrations', () => {
    let database: TestDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await engine.make();
      store = await openTestStore(database.config);
    });

    afterEach(async () => {
      await store.close();
      await database.drop();
    });

    it('migrate down to an empty database and up again', async function () {
      this.timeout(180_000);
      expect(await store.migrations.up()).to.deep.equal([]);
      const all = (await store.migrations.status()).map((state) => state.name);
      expect(await store.migrations.down(1000)).to.have.members(all);
      expect((await store.migrations.status()).every((state) => state.appliedAt === undefined)).to.equal(
        true,
      );
      const tables = (await store.reading.introspection.getTables()).map((table) => table.name);
      expect(tables).to.not.include.members(['entry', 'source']);
      expect(await store.migrations.up()).to.deep.equal(all);
      await store.migrations.requireCurrent();
    });

    it('set revisions of sources, registries and published entries, and extract the remotes of servers', async () => {
      const ids = await define(
        store,
        [{ name: 'docs' }, { name: 'mine', claimsFrom: 'publisher' }],
        [{ name: 'main', sources: ['docs', 'mine'] }],
      );
      const remotes = [
        { url: 'https://a.example' },
        { url: 'https://b.example' },
        { url: 'https://a.example' },
      ];
      for (const name of ['docs', 'mine']) {
        await fill(store, ids.get(name) ?? 0, [
          { name: 'acme/x', version: '1.0.0' },
          { name: 'acme/y', version: '1.0.0' },
        ]);
      }
      await store.writing
        .updateTable('entry_version')
        .set({ document: JSON.stringify({ remotes }) })
        .where('name', '=', 'acme/x')
        .execute();
      // Back to the first layout, which had neither.
      await store.migrations.down((await store.migrations.status()).length - 1);
      await store.migrations.up();
      const count = async (table: 'source' | 'registry' | 'entry') => {
        const rows = await store.reading.selectFrom(table).select('revision').execute();
        return new Set(rows.map((row) => row.revision)).size;
      };
      expect([await count('source'), await count('registry'), await count('entry')]).to.deep.equal([2, 1, 3]);
      const found = await store.reading.selectFrom('server_remote').selectAll().execute();
      expect(found).to.have.lengthOf(4);
      expect(new Set(found.map((row) => row.url_hash)).size).to.equal(2);
    });

    it('throw for a schema of a newer version', async () => {
      await store.writing
        // SAFETY: the table of the migrator, which the schema of the registry does not list.
        .insertInto('portolan_migration' as 'change')
        .values({ name: '9999-future', timestamp: '2030-01-01' } as never)
        .execute();
      expect(await codeOf(store.migrations.status())).to.equal('ERR_SCHEMA_TOO_NEW');
    });

    it('list pending migrations', async () => {
      await store.migrations.down(1);
      expect(await codeOf(store.migrations.requireCurrent())).to.equal('ERR_SCHEMA_OUTDATED');
    });

    it('roll back a migration that fails', async () => {
      await store.migrations.down(1000);
      await sql`create table sync_status (of_somebody_else integer)`.execute(store.writing);
      expect(await codeOf(store.migrations.up())).to.equal('ERR_MIGRATION_FAILED');
      const tables = await store.writing.introspection.getTables();
      expect(tables.map(({ name }) => name))
        .to.include('sync_status')
        .and.to.not.include('change');
      await sql`drop table sync_status`.execute(store.writing);
      expect(await store.migrations.up()).to.not.be.empty;
    });

    if (engine.name === 'SQLite in memory') return;
    it('allow two processes to migrate concurrently', async function () {
      this.timeout(180_000);
      await store.migrations.down(1000);
      const other = await openStore(database.config, {
        directory: tmpdir(),
        environment: {},
        logger: silent,
        connMaxLifetimeMs: 1000,
      });
      const done = await Promise.all([store.migrations.up(), other.migrations.up()]);
      expect(done.flat()).to.have.lengthOf((await store.migrations.status()).length);
      await other.close();
    });
  });
});

forEachEngine((engine) => {
  if (engine.name !== 'PostgreSQL') return;
  describe('a connection to PostgreSQL', () => {
    let database: TestDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await engine.make();
      store = await openTestStore(database.config);
    });

    afterEach(async () => {
      await store.close();
      await database.drop();
    });

    it('turns off the JIT compiler, however it is opened', async () => {
      const jit = sql<{ jit: string }>`show jit`;
      await store.writing.connection().execute(async (first) => {
        expect((await jit.execute(first)).rows).to.deep.equal([{ jit: 'off' }]);
        const read = await store.readRows(jit.compile(store.reading));
        expect(read, 'opened past Kysely').to.deep.equal([{ jit: 'off' }]);
      });
    });
  });

  describe('a connection that PostgreSQL closes', () => {
    let database: TestDatabase;
    let store: Store;
    let other: Store;

    beforeEach(async () => {
      database = await engine.make();
      store = await openTestStore(database.config);
      other = await openTestStore(database.config);
    });

    afterEach(async () => {
      await store.close();
      await other.close();
      await database.drop();
    });

    const endOthers = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`.execute(other.writing);

    for (const { title, use } of [
      { title: 'between two statements of a transaction', use: sql`select epoch from change` },
      { title: 'while a statement runs', use: sql`select pg_sleep(20)` },
    ]) {
      it(`fails the transaction but not the process, ${title}`, async () => {
        const failed = store.writing.transaction().execute(async (db) => {
          await db.updateTable('change').set({ epoch: 1000 }).execute();
          await Promise.all([use.execute(db), endOthers()]);
          // Until the end of the connection has arrived.
          for (;;) await sql`select 1`.execute(db);
        });
        expect(await codeOf(failed)).to.equal('ERR_DATABASE_UNAVAILABLE');
        const { epoch } = await store.writing.selectFrom('change').select('epoch').executeTakeFirstOrThrow();
        expect(epoch, 'the transaction was undone, and the next one works').to.be.below(1000);
      });
    }
  });
});
