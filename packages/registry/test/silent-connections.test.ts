import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { isPortolanError } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { openStore, type Store } from '@portolan/registry';
import { sql } from 'kysely';
import pg from 'pg';
import { listenOnLoopback } from '../../../test/support/listen-on-loopback.ts';
import { DATABASE_DEFAULTS, forEachEngine, type TestDatabase } from './support/engines.ts';

/** Passes everything on to a database, until a connection is to say nothing any more: not even that it is over. */
class SilencedLink {
  /** What a message has in it from which on its connection is silent. */
  silencedBy: string | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #silenced = Promise.withResolvers<void>();

  constructor({ hostname, port }: URL) {
    this.#server = createServer((client) => {
      const database = connect({ host: hostname, port: Number(port || 5432) });
      let isSilent = false;
      client.on('data', (message) => {
        isSilent ||= this.silencedBy !== undefined && message.includes(this.silencedBy);
        if (isSilent) this.#silenced.resolve();
        else database.write(message);
      });
      database.on('data', (answer) => client.write(answer));
      for (const [one, other] of [
        [client, database],
        [database, client],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => undefined).on('close', () => other.destroy());
      }
    });
  }

  async open(): Promise<number> {
    return await listenOnLoopback(this.#server);
  }

  /** Settles once a connection is silent. */
  silenced(): Promise<void> {
    return this.#silenced.promise;
  }

  /** Ends all connections; new ones may be made. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

forEachEngine((engine) => {
  if (engine.name !== 'PostgreSQL') return;

  describe('a database connection that no longer responds', () => {
    let database: TestDatabase;
    let link: SilencedLink;
    let logger: ReturnType<typeof createRecordingLogger>;
    let store: Store;

    beforeEach(async () => {
      database = await engine.make();
      logger = createRecordingLogger();
      const url = new URL(database.config.url ?? '');
      link = new SilencedLink(url);
      url.host = `127.0.0.1:${await link.open()}`;
      store = await openStore(
        { ...DATABASE_DEFAULTS, url: url.href, maxOpenConns: 1 },
        {
          directory: tmpdir(),
          environment: {},
          logger,
          connMaxLifetimeMs: 300_000,
          lookUpMs: 300,
        },
      );
    });

    afterEach(async () => {
      await store.close();
      await link.close();
      await database.drop();
    });

    it('is closed also by PostgreSQL when a query waits for a locked table', async () => {
      const other = new pg.Client({ connectionString: database.config.url });
      await other.connect();
      try {
        await other.query('create table held (n integer)');
        await other.query('begin');
        await other.query('lock table held in access exclusive mode');
        const refusal: unknown = await sql`select n from held`
          .execute(store.reading)
          .catch((error: unknown) => error);
        expect(refusal).to.include({ code: 'ERR_DATABASE_UNAVAILABLE' });
        await eventually(async () => {
          const { rows } =
            await sql`select query from pg_stat_activity where query like 'select n from held%'`.execute(
              store.reading,
            );
          expect(rows).to.deep.equal([]);
        });
      } finally {
        await other.end();
      }
    });

    const LOOK_UP = sql<{ one: number }>`select 1 as one`;
    const waiting: readonly {
      readonly title: string;
      readonly word: string;
      readonly ask: () => Promise<unknown>;
    }[] = [
      { title: 'a query', word: 'select 1', ask: () => LOOK_UP.execute(store.reading) },
      {
        title: 'a query without Kysely',
        word: 'select 1',
        ask: async () => await store.readRows(LOOK_UP.compile(store.reading)),
      },
      {
        title: 'a query in a read-only transaction',
        word: 'select 1',
        ask: () =>
          store.reading
            .transaction()
            .setAccessMode('read only')
            .execute((db) => LOOK_UP.execute(db)),
      },
      {
        title: 'the BEGIN of a write',
        word: 'begin',
        ask: () => store.writing.transaction().execute((db) => LOOK_UP.execute(db)),
      },
      {
        title: 'a new connection',
        word: 'set jit',
        ask: () => LOOK_UP.execute(store.reading),
      },
    ];
    for (const { title, word, ask } of waiting) {
      it(`is closed and replaced when ${title} gets no response`, async () => {
        link.silencedBy = word;
        const refusal = await ask().catch((error: unknown) => error);
        if (!isPortolanError(refusal)) throw new Error(`it was answered: ${JSON.stringify(refusal)}`);
        expect(refusal.code).to.equal('ERR_DATABASE_UNAVAILABLE');
        expect(refusal.message).to.contain('no response within 300 ms');
        link.silencedBy = undefined;
        expect(
          (await LOOK_UP.execute(store.reading)).rows,
          'the only place of the pool is free',
        ).to.deep.equal([{ one: 1 }]);
      });
    }

    it('is not closed while a write transaction takes long', async () => {
      const slow = await store.writing.transaction().execute(async (db) => {
        const { rows } = await sql<{ one: number }>`select 1 as one from pg_sleep(1)`.execute(db);
        return rows;
      });
      expect(slow).to.deep.equal([{ one: 1 }]);
    });

    it('is reported with the reason for which PostgreSQL closed it in a transaction', async () => {
      const failing = store.writing.transaction().execute(async (db) => {
        await sql`set local idle_in_transaction_session_timeout = 50`.execute(db);
        await eventually(() =>
          expect(logger.lines.map(({ message }) => message)).to.include('database connection lost'),
        );
        return await LOOK_UP.execute(db);
      });
      const failure = await failing.catch((error: unknown) => error);
      if (!isPortolanError(failure)) throw new Error(`it was answered: ${JSON.stringify(failure)}`);
      expect(failure.code).to.equal('ERR_DATABASE_UNAVAILABLE');
      expect(failure.message).to.contain('idle-in-transaction timeout');
    });

    it('is not closed while another process migrates the schema', async () => {
      const url = new URL(database.config.url ?? '');
      const other = new pg.Client({ connectionString: url.href });
      await other.connect();
      // The lock that Kysely's migrator takes.
      await other.query('select pg_advisory_lock(3853314791062309107)');
      const migrating = store.migrations.up();
      await eventually(async () => {
        const { rows } = await other.query(
          "select 1 from pg_locks join pg_database on pg_database.oid = database where datname = current_database() and locktype = 'advisory' and not granted",
        );
        expect(rows).to.have.length(1);
      });
      await other.query('select pg_sleep(1)'); // longer than a look-up may wait
      await other.end();
      expect(await migrating).to.have.length.above(0);
    });

    it('is reported as an unavailable database when it was lost during a migration', async () => {
      link.silencedBy = 'create table "entry"';
      const failing = store.migrations.up().catch((error: unknown) => error);
      await link.silenced();
      link.cut();
      const failure = await failing;
      if (!isPortolanError(failure)) throw new Error(`it went on: ${JSON.stringify(failure)}`);
      expect(failure.code).to.equal('ERR_DATABASE_UNAVAILABLE');
      link.silencedBy = undefined;
      expect(await store.migrations.up(), 'nothing was left half done').to.have.length.above(0);
    });
  });
});
