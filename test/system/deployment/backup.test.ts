import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { LAUNCHER, RunningPortolan } from '../../support/command-line.ts';
import { shownIn } from '../../support/examples/shown-in.ts';
import { RegistryUnderTest, serverDocument } from '../../support/registry-under-test.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { createTestDatabase, ENGINES, POSTGRES } from '../../support/test-database.ts';

const run = promisify(execFile);

const CONFIG = {
  sources: [{ name: 'published', managed: {} }],
  registries: [{ name: 'main', sources: ['published'] }],
};

for (const engine of ENGINES) {
  const programs = engine === 'SQLite' ? [] : ['pg_dump', 'pg_restore'];

  describe(`backup of ${engine} by the commands of docs/operate/backup-and-restore.md`, function () {
    this.timeout(180_000);
    let server: RegistryUnderTest;
    let folder: string;

    before(async function () {
      if (engine === 'PostgreSQL' && POSTGRES === undefined)
        skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
      for (const program of programs) {
        try {
          await run(program, ['--version']);
        } catch {
          skipSuite(this, `there is no ${program}`);
        }
      }
      folder = await mkdtemp(path.join(tmpdir(), 'portolan-backup-'));
      await mkdir(path.join(folder, 'bin'));
      await symlink(LAUNCHER, path.join(folder, 'bin/portolan'));
      server = await RegistryUnderTest.start({ engine, mode: 'anonymous', config: CONFIG });
    });
    after(async () => {
      await server?.close();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    });

    it('runs while the server runs, and restores everything published before it', async () => {
      const publish = async (name: string): Promise<void> => {
        const body = { server: serverDocument(name) };
        expect(await server.status('POST', '/v1/entries', { body })).to.equal(201);
      };
      await publish('dev.acme/saved');
      const shell = async (command: string, env: Readonly<Record<string, string>> = {}): Promise<void> => {
        await run('sh', ['-c', command], {
          cwd: folder,
          env: {
            ...process.env,
            PATH: `${path.join(folder, 'bin')}:${path.dirname(process.execPath)}:${process.env['PATH']}`,
            ...env,
          },
        });
      };
      const restored = await createTestDatabase(engine, folder);
      try {
        if (engine === 'SQLite') {
          await configure(server.database.url);
          await shell(await shownIn('docs/operate/backup-and-restore.md', 'portolan backup '));
        } else
          await shell(await shownIn('docs/operate/backup-and-restore.md', 'pg_dump '), {
            DATABASE_URL: server.database.url,
          });
        await publish('dev.acme/lost');
        if (engine === 'SQLite') {
          await configure(restored.url);
          await shell(
            `${(await shownIn('docs/operate/backup-and-restore.md', 'portolan restore ')).trim()} --yes`,
          );
        } else
          await shell(await shownIn('docs/operate/backup-and-restore.md', 'pg_restore '), {
            EMPTY_DATABASE_URL: restored.url,
          });
        expect(await namesIn(restored.url)).to.deep.equal(['dev.acme/saved']);
      } finally {
        await restored.remove();
      }
    });

    const configure = async (url: string): Promise<string> => {
      const file = path.join(folder, 'portolan.config.yaml');
      const listen = { address: '127.0.0.1:0', internalAddress: 'off' };
      await writeFile(
        file,
        stringify({ ...CONFIG, auth: { mode: 'anonymous' }, database: { url }, server: listen }),
      );
      return file;
    };

    /** Returns the names of the entries that a server with this database serves. */
    const namesIn = async (url: string): Promise<readonly string[]> => {
      const file = await configure(url);
      const other = new RunningPortolan(['serve', '--config', file], { cwd: folder });
      try {
        const { address } = await other.logged('listening');
        const answer = await fetch(`http://${String(address)}/registry/main/v0.1/servers`);
        // SAFETY: the API returns a list of servers.
        const { servers } = (await answer.json()) as { servers: { server: { name: string } }[] };
        return servers.map(({ server: { name } }) => name);
      } finally {
        await other.stop();
      }
    };
  });
}
