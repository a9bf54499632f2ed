import { expect } from 'chai';
import { isPortolanError } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import type { Store } from '@portolan/registry';
import pg from 'pg';
import { forEachEngine, openTestStore, type TestDatabase } from './support/engines.ts';

const OTHERS =
  "from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()";

forEachEngine((engine) => {
  if (engine.name !== 'PostgreSQL') return;

  describe('a read-only database, such as a standby after a failover', () => {
    let database: TestDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await engine.make();
      store = await openTestStore({ ...database.config, maxOpenConns: 1 });
    });

    afterEach(async () => {
      await store.close();
      await database.drop();
    });

    /** For sessions that begin afterwards; those that there are end. */
    const set = async (mode: 'read only' | 'read write'): Promise<void> => {
      const client = new pg.Client({ connectionString: database.config.url });
      await client.connect();
      const name = client.escapeIdentifier(new URL(database.config.url ?? '').pathname.slice(1));
      const isOn = mode === 'read only' ? 'on' : 'off';
      await client.query('set default_transaction_read_only = off');
      await client.query(`alter database ${name} set default_transaction_read_only = ${isOn}`);
      if (mode === 'read only') {
        await client.query(`select pg_terminate_backend(pid) ${OTHERS}`);
        // They are only asked to end.
        await eventually(async () =>
          expect((await client.query(`select pid ${OTHERS}`)).rows).to.have.length(0),
        );
      }
      await client.end();
    };

    const write = () => store.writing.updateTable('change').set({ epoch: 7 }).execute();
    const ways: readonly { readonly title: string; readonly run: () => Promise<unknown> }[] = [
      { title: 'a statement', run: write },
      {
        title: 'a transaction',
        run: () =>
          store.writing.transaction().execute((db) => db.updateTable('change').set({ epoch: 7 }).execute()),
      },
    ];
    for (const { title, run } of ways) {
      it(`makes ${title} throw ERR_DATABASE_READ_ONLY, and use a new connection the next time`, async () => {
        await set('read only');
        // The session that was ended, whose end may not have arrived.
        await run().catch(() => undefined);
        const failure = await run().catch((error: unknown) => error);
        if (!isPortolanError(failure)) throw new Error(`it was written: ${JSON.stringify(failure)}`);
        expect(failure.code).to.equal('ERR_DATABASE_READ_ONLY');
        expect(failure.class).to.equal('unavailable');
        expect(failure.retryAfterSeconds).to.equal(5);
        expect(failure.message).to.contain('in a read-only transaction');
        await set('read write');
        await run();
      });
    }
  });
});
