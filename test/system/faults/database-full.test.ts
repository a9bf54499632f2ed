import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import pg from 'pg';
import { stringify } from 'yaml';
import { RunningPortolan } from '../../support/command-line.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { ENGINES, type Engine, POSTGRES } from '../../support/test-database.ts';

const run = promisify(execFile);
const SOON = { withinMs: 90_000 };

/** A database on its own small disk, which the suite can fill. */
interface SmallDatabase {
  readonly url: string;
  remove(): Promise<void>;
}

async function inTablespace(disk: string): Promise<SmallDatabase> {
  if (POSTGRES === undefined) throw new Error('PORTOLAN_TEST_POSTGRES_URL names no server');
  const name = `portolan_full_${randomUUID().replaceAll('-', '')}`;
  const administer = async (...statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: POSTGRES });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const folder = path.join(disk, 'space');
  await mkdir(folder);
  await run('chown', ['postgres', folder]);
  await administer(
    `create tablespace ${name} location '${folder}'`,
    `create database ${name} tablespace ${name}`,
  );
  const url = new URL(POSTGRES);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    remove: async () => await administer(`drop database ${name} with (force)`, `drop tablespace ${name}`),
  };
}

for (const engine of ENGINES)
  describe(`a registry server with a full disk for its ${engine} database`, function () {
    this.timeout(180_000);
    let folder = '';
    let disk = '';
    let database: SmallDatabase | undefined;
    let server: RunningPortolan | undefined;

    before(async function () {
      if (process.getuid?.() !== 0) skipSuite(this, 'only root can mount a small disk');
      if (engine === 'PostgreSQL' && POSTGRES === undefined)
        skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
      folder = await mkdtemp(path.join(tmpdir(), 'portolan-database-full-'));
      disk = await mkdtemp(path.join(folder, 'disk-'));
      await run('mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=755', 'portolan-database', disk]);
      // The PostgreSQL server runs as another user, who needs access to the disk.
      for (const one of [path.dirname(folder), folder]) if (one !== tmpdir()) await chmod(one, 0o755);
      database = await makeDatabase(engine);
      await writeFile(
        path.join(folder, 'portolan.config.yaml'),
        stringify({
          sources: [{ name: 'own', managed: {} }],
          registries: [{ name: 'main', sources: ['own'] }],
          auth: { mode: 'anonymous' },
          database: { url: database.url },
          server: { address: '127.0.0.1:0', internalAddress: 'off' },
        }),
      );
      server = new RunningPortolan(['serve'], { cwd: folder });
    });
    after(async () => {
      await server?.stop();
      await database?.remove();
      if (disk !== '') await run('umount', ['-l', disk]);
      if (folder !== '') await rm(folder, { recursive: true });
    });

    async function makeDatabase(which: Engine): Promise<SmallDatabase> {
      if (which === 'PostgreSQL') return await inTablespace(disk);
      return { url: `sqlite:${path.join(disk, 'registry.db')}`, remove: () => Promise.resolve() };
    }

    it('responds 503 ERR_DATABASE_FULL to changes, serves reads, warns in /readiness, and recovers', async () => {
      if (server === undefined) throw new Error('the server is not started');
      const { address } = await server.logged('listening');
      const base = `http://${String(address)}`;
      let published = 0;
      const publish = async (): Promise<{ readonly status: number; readonly code: unknown }> => {
        const response = await fetch(`${base}/v1/entries`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            server: {
              $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
              name: `com.acme/tides-${published}`,
              description: 'Tides of the coast.',
              version: '1.0.0',
              _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { text: randomText(200_000) } },
            },
          }),
        });
        const body: unknown = await response.json();
        if (response.status === 201) published += 1;
        return { status: response.status, code: Reflect.get(Object(body), 'code') };
      };
      const readiness = async (): Promise<unknown> => {
        const response = await fetch(`${base}/readiness`);
        return [response.status, await response.json()];
      };
      const count = async (): Promise<number> => {
        const response = await fetch(`${base}/registry/main/v0.1/servers?limit=100`);
        expect(response.status).to.equal(200);
        return (Object(await response.json()) as { metadata: { count: number } }).metadata.count;
      };
      expect(await publish()).to.include({ status: 201 });
      expect(await readiness()).to.deep.equal([200, { status: 'ready' }]);
      const ballast = path.join(disk, 'ballast');
      const { bavail, bsize } = await statfs(disk);
      await writeFile(ballast, Buffer.alloc(bavail * bsize, 1));
      const refused = await eventually(async () => {
        const response = await publish();
        expect(response.status).to.not.equal(201);
        return response;
      }, SOON);
      expect(refused).to.include({ status: 503, code: 'ERR_DATABASE_FULL' });
      expect(await count()).to.equal(published);
      expect(await readiness()).to.deep.equal([
        200,
        {
          status: 'ready',
          warnings: [
            'The disk of the registry database is full: it can be read, and nothing can be changed.',
          ],
        },
      ]);
      const [line] = server.log.filter(({ msg }) => msg === 'the database rejects writes');
      const wanted =
        engine === 'SQLite' ? 'space on the disk of the file' : 'space on the disk of the PostgreSQL server';
      expect(JSON.stringify(line)).to.include(wanted);
      await rm(ballast);
      await eventually(async () => expect(await publish()).to.include({ status: 201 }), SOON);
      await eventually(async () => expect(await readiness()).to.deep.equal([200, { status: 'ready' }]), SOON);
      expect(await count()).to.equal(published);
    });
  });

/** Returns text that no database can compress. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) text += randomUUID();
  return text.slice(0, length);
}
