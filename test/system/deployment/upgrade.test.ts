import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { openStore, type Store } from '@portolan/registry';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { DATABASE_DEFAULTS, silent } from '../../../packages/registry/test/support/engines.ts';
import { type Finished, runPortolan, RunningPortolan } from '../../support/command-line.ts';
import { shownIn } from '../../support/examples/shown-in.ts';
import { inlineSource, serverDocument } from '../../support/registry-under-test.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { createTestDatabase, ENGINES, POSTGRES, type TestDatabase } from '../../support/test-database.ts';
import { addColumns } from './support/add-columns.ts';
import { olderStatements, refusedBy } from './support/older-statements.ts';
import { useServer } from './support/use-server.ts';

const CONFIG = 'portolan.config.yaml';

/** Layouts with recorded statements, as numbers of migrations. */
const RECORDED = [2, 3, 4, 5] as const;

/** Arguments of the guide's commands, in order. */
async function commandsOfGuide(): Promise<readonly (readonly string[])[]> {
  const there = await shownIn('docs/operate/upgrade.md', 'portolan config check ');
  const back = await shownIn('docs/operate/upgrade.md', 'portolan migrate down ');
  return [...`${there}${back}`.matchAll(/^portolan (.+)$/gm)].map(([, words = '']) => words.split(' '));
}

for (const engine of ENGINES) {
  describe(`upgrade and downgrade of ${engine} by docs/operate/upgrade.md`, function () {
    this.timeout(180_000);
    let folder: string;
    let database: TestDatabase;

    before(async function () {
      if (engine === 'PostgreSQL' && POSTGRES === undefined)
        skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
      folder = await mkdtemp(path.join(tmpdir(), 'portolan-upgrade-'));
      database = await createTestDatabase(engine, folder);
      await writeFile(
        path.join(folder, CONFIG),
        stringify({
          sources: [
            { name: 'published', managed: {} },
            inlineSource('synced', undefined, [serverDocument('dev.acme/synced')]),
          ],
          registries: [{ name: 'main', sources: ['published', 'synced'] }],
          auth: { mode: 'anonymous' },
          database: { url: database.url, migrateOnStart: false },
          server: { address: '127.0.0.1:0', internalAddress: 'off' },
        }),
      );
    });
    after(async () => {
      await database?.remove();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    });

    const run = async (words: readonly string[]): Promise<Finished> => {
      const finished = await runPortolan(words, { cwd: folder });
      expect(finished.status, `${words.join(' ')}: ${finished.stderr}`).to.equal(0);
      return finished;
    };

    /** Runs an action with a server on the current database. */
    const serving = async (act: (url: string) => Promise<void>): Promise<void> => {
      const server = new RunningPortolan(['serve', '--config', CONFIG], { cwd: folder });
      try {
        await act(`http://${String((await server.logged('listening'))['address'])}`);
      } finally {
        await server.stop();
      }
    };

    const namesAt = async (url: string): Promise<readonly string[]> => {
      const answer = await fetch(`${url}/registry/main/v0.1/servers`);
      // SAFETY: the API returns a list of servers.
      const { servers } = (await answer.json()) as { servers: { server: { name: string } }[] };
      return servers.map(({ server: { name } }) => name);
    };

    /** Runs the `migrate` commands in this process. */
    const migrating = async <T>(act: (migrations: Store['migrations']) => Promise<T>): Promise<T> => {
      const url = database.url;
      const options = { directory: folder, environment: {}, logger: silent, connMaxLifetimeMs: 60_000 };
      const store = await openStore({ ...DATABASE_DEFAULTS, url }, options);
      try {
        return await act(store.migrations);
      } finally {
        await store.close();
      }
    };

    /** Names of the applied migrations and of the others. */
    const layout = () =>
      migrating(async (migrations) => {
        const states = await migrations.status();
        const of = (isApplied: boolean) =>
          states.filter(({ appliedAt }) => (appliedAt !== undefined) === isApplied).map(({ name }) => name);
        return { applied: of(true), pending: of(false) };
      });

    it('runs the commands of the guide', async () => {
      const words = (await commandsOfGuide()).map((command) => command.slice(0, 2).join(' '));
      expect(words).to.deep.equal(['config check', 'migrate status', 'migrate up', 'migrate down']);
    });

    it('keeps published entries from every older layout, and syncs sources again', async () => {
      const [check = [], status = [], up = [], down = []] = await commandsOfGuide();
      await run(check); // The problems are of the configuration only, with every layout.
      await run(up);
      await serving(async (url) => {
        const body = JSON.stringify({ server: serverDocument('dev.acme/published') });
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(`${url}/v1/entries`, { method: 'POST', headers, body });
        expect(answer.status, await answer.text()).to.equal(201);
      });
      const { applied: all } = await layout();
      for (let steps = 1; steps < all.length; steps += 1) {
        await run(down.map((word) => (word === '1' ? String(steps) : word)));
        expect(await layout()).to.deep.equal({ applied: all.slice(0, -steps), pending: all.slice(-steps) });
        const [refused, told] = await Promise.all([
          runPortolan(['serve', '--config', CONFIG], { cwd: folder }),
          run(status),
        ]);
        expect([refused.status, refused.stderr.includes('portolan migrate up')]).to.deep.equal([1, true]);
        for (const name of all) expect(told.stdout).to.include(name);
        await run(up);
        expect((await layout()).pending).to.deep.equal([]);
        await serving(async (url) => {
          await eventually(async () =>
            expect(await namesAt(url)).to.deep.equal(['dev.acme/published', 'dev.acme/synced']),
          );
        });
      }
    });

    // SQLite prepares a statement again automatically.
    if (engine === 'PostgreSQL') {
      it('serves while the next version adds columns to every table', async () => {
        const [, , up = []] = await commandsOfGuide();
        await run(up);
        // With few connections, each statement uses a connection on which it was prepared before.
        const env = { PORTOLAN_DATABASE_MAXOPENCONNS: '2' };
        const server = new RunningPortolan(['serve', '--config', CONFIG], { cwd: folder, env });
        let takeAway: (() => Promise<void>) | undefined;
        try {
          const url = `http://${String((await server.logged('listening'))['address'])}`;
          const before = await useServer(url, 'dev.acme/first');
          expect(await useServer(url, 'dev.acme/second'), 'before').to.deep.equal(before);
          takeAway = await addColumns(database);
          for (const name of ['dev.acme/third', 'dev.acme/fourth'])
            expect(await useServer(url, name), name).to.deep.equal(before);
          expect(server.log.filter(({ level }) => level === 'error')).to.deep.equal([]);
        } finally {
          await server.stop();
          await takeAway?.();
        }
      });
    }

    for (const count of RECORDED) {
      it(`serves statements of servers with ${count} migrations, after the upgrade and after the downgrade`, async () => {
        const up = () => migrating((migrations) => migrations.up());
        await up();
        const statements = await olderStatements(engine, count);
        expect(statements.length, 'they were recorded').to.be.greaterThan(90);
        expect(await refusedBy(database, statements), 'on the newest layout').to.deep.equal([]);
        const { applied } = await layout();
        const wayBack = (to: number) => migrating((migrations) => migrations.down(applied.length - to));
        await wayBack(count);
        expect((await layout()).applied).to.have.lengthOf(count);
        expect(await refusedBy(database, statements), 'on their own layout').to.deep.equal([]);
        await up();
        await wayBack(count - 1);
        const older = await refusedBy(database, statements);
        expect(older.length, 'the layout before theirs has less').to.be.greaterThan(0);
        await up();
      });
    }
  });
}
