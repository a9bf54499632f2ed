import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { sql } from 'kysely';
import { isPortolanError } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { openStore, type Store } from '@portolan/registry';
import { skipSuite } from '../../../test/support/skip-suite.ts';
import { DATABASE_DEFAULTS, openTestStore, silent } from './support/engines.ts';

/** What a promise is rejected with. */
async function faultOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const fault = await faultOf(promise);
  return isPortolanError(fault) ? fault.code : fault.message;
}

describe('openSqliteFile', () => {
  let folder: string;
  let file: string;
  let store: Store;
  /** Threads that were started since the test began. */
  let threads: Worker[];
  const onWorker = (worker: Worker): void => {
    threads.push(worker);
  };

  beforeEach(async () => {
    threads = [];
    process.on('worker', onWorker);
    folder = await mkdtemp(join(tmpdir(), 'portolan-test-'));
    file = join(folder, 'registry.db');
    store = await openTestStore({ ...DATABASE_DEFAULTS, url: `sqlite:${file}` });
  });

  afterEach(async () => {
    process.off('worker', onWorker);
    await store.close();
    await rm(folder, { recursive: true });
  });

  const setEpoch = (db: Store['writing'], epoch: number) => db.updateTable('change').set({ epoch }).execute();
  const epoch = async (): Promise<number> =>
    (await store.reading.selectFrom('change').select('epoch').executeTakeFirstOrThrow()).epoch;

  it('rolls back a transaction whose thread dies', async () => {
    const before = await epoch();
    const failed = store.writing.transaction().execute(async (db) => {
      await setEpoch(db, 1000);
      await threads.at(-1)?.terminate();
      await setEpoch(db, 2000);
    });
    expect((await faultOf(failed)).message).to.equal(
      'the writing thread ended in the middle of a transaction',
    );
    expect(await epoch()).to.equal(before);
    await setEpoch(store.writing, 3000);
    expect(await epoch(), 'a new thread writes').to.equal(3000);
  });

  it('rolls back a transaction that is open when the store closes', async () => {
    const other = await openTestStore({ ...DATABASE_DEFAULTS, url: `sqlite:${file}` });
    const before = await epoch();
    const failed = other.writing.transaction().execute(async (db) => {
      await setEpoch(db, 1000);
      await other.close();
      await setEpoch(db, 2000);
    });
    await faultOf(failed);
    expect(await epoch()).to.equal(before);
    const started = threads.length;
    expect((await faultOf(setEpoch(other.writing, 3000))).message).to.match(/closed|destroyed/);
    expect(threads, 'no thread is started after the end').to.have.lengthOf(started);
  });

  const absences: readonly {
    readonly title: string;
    readonly go: () => Promise<void>;
    readonly left: readonly string[];
  }[] = [
    { title: 'removed', go: () => rm(file), left: [] },
    {
      title: 'replaced',
      go: async () => {
        await copyFile(file, join(folder, 'other'));
        await rename(join(folder, 'other'), file);
      },
      left: ['registry.db'],
    },
  ];
  for (const { title, go, left } of absences) {
    for (const withThread of [true, false]) {
      it(`refuses to write when the file was ${title}, ${withThread ? 'with' : 'without'} a running thread`, async () => {
        if (!withThread) {
          await store.close();
          store = await openStore(
            { ...DATABASE_DEFAULTS, url: `sqlite:${file}` },
            { directory: folder, environment: {}, logger: silent, connMaxLifetimeMs: 1000 },
          );
        }
        await go();
        expect(await codeOf(setEpoch(store.writing, 5))).to.equal('ERR_DATABASE_REPLACED');
        expect(await codeOf(store.writing.transaction().execute((db) => setEpoch(db, 5)))).to.equal(
          'ERR_DATABASE_REPLACED',
        );
        const files = (await readdir(folder)).filter((name) => !/-(wal|shm)$/.test(name));
        expect(files, 'no file is made in its place').to.deep.equal(left);
      });
    }
  }

  it('reports a full disk, and keeps the data', async () => {
    const before = await epoch();
    // As large as it is now, which is what a full disk comes to.
    await sql`pragma max_page_count = 1`.execute(store.writing);
    const failed = store.writing.transaction().execute(async (db) => {
      await setEpoch(db, 1000);
      const canonical = 'x'.repeat(10_000_000);
      await db.insertInto('claim_set').values({ canonical }).execute();
    });
    const fault = await faultOf(failed);
    expect(isPortolanError(fault) ? fault.code : fault.message).to.equal('ERR_DATABASE_FULL');
    expect(fault.message).to.contain('full');
    expect(await epoch()).to.equal(before);
  });

  it('opens during a long transaction of another process', async () => {
    const other = new DatabaseSync(file);
    try {
      other.exec('begin immediate');
      const second = await openStore(
        { ...DATABASE_DEFAULTS, url: `sqlite:${file}` },
        { directory: folder, environment: {}, logger: silent, connMaxLifetimeMs: 1000 },
      );
      await second.close();
    } finally {
      other.close();
    }
  });
});

describe('openSqliteFile with a full disk', function () {
  let folder = '';
  let disk = '';
  before(async function () {
    if (process.getuid?.() !== 0) skipSuite(this, 'only root can mount a small disk');
    folder = await mkdtemp(join(tmpdir(), 'portolan-full-'));
  });
  after(async () => {
    if (folder !== '') await rm(folder, { recursive: true });
  });
  const fill = async () =>
    await writeFile(join(disk, 'filler'), Buffer.alloc(64 * 1024 * 1024)).catch(() => undefined);
  beforeEach(async () => {
    disk = await mkdtemp(join(folder, 'disk-'));
    await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'portolan-full', disk]);
  });
  afterEach(() => promisify(execFile)('umount', ['-l', disk]));

  it('rejects writes with ERR_DATABASE_FULL, and keeps reading', async () => {
    const small = await openTestStore({ ...DATABASE_DEFAULTS, url: `sqlite:${join(disk, 'registry.db')}` });
    try {
      await fill();
      const write = sql`create table filler as select randomblob(1000000) as bytes`.execute(small.writing);
      expect(await codeOf(write)).to.equal('ERR_DATABASE_FULL');
      expect(await small.reading.selectFrom('change').select('epoch').execute()).to.have.length(1);
      await rm(join(disk, 'filler'));
      await sql`create table filler as select 1 as one`.execute(small.writing);
    } finally {
      await small.close();
    }
  });

  it('throws ERR_DATABASE_FULL when a new database does not fit', async () => {
    await fill();
    const opening = openTestStore({ ...DATABASE_DEFAULTS, url: `sqlite:${join(disk, 'registry.db')}` });
    const fault = await faultOf(opening);
    expect(fault).to.include({ code: 'ERR_DATABASE_FULL' });
    expect(fault).to.have.property('hint').that.does.not.include('PostgreSQL');
  });
});

describe('openSqliteFile with a damaged file', () => {
  it('finds damage in a file of more than 2,000 pages', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-damaged-'));
    const file = join(folder, 'registry.db');
    const config = { ...DATABASE_DEFAULTS, url: `sqlite:${file}` };
    const filled = await openTestStore(config);
    await sql`create table filler (id integer primary key, text text)`.execute(filled.writing);
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 9000)
      insert into filler select i, hex(randomblob(1000)) from n`.execute(filled.writing);
    await filled.close();
    const bytes = await readFile(file);
    expect(bytes.length / 4096).to.be.above(2000);
    bytes.fill(0xff, bytes.length - 400 * 4096, bytes.length - 399 * 4096);
    await writeFile(file, bytes);
    expect(await codeOf(openTestStore(config))).to.equal('ERR_DATABASE_CORRUPT');
    await rm(folder, { recursive: true });
  });

  for (const isDamaged of [true, false]) {
    const title = isDamaged ? 'finds damage in' : 'has nothing to report of';
    it(`checks a file above the size limit in the background and ${title} it`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'portolan-large-'));
      const file = join(folder, 'registry.db');
      const config = { ...DATABASE_DEFAULTS, url: `sqlite:${file}` };
      const filled = await openTestStore(config);
      await sql`create table filler as select hex(randomblob(4000000)) as text`.execute(filled.writing);
      await sql`create index filler_index on filler (substr(text, 1, 8))`.execute(filled.writing);
      await filled.close();
      if (isDamaged) {
        const bytes = await readFile(file);
        bytes.fill(0xff, bytes.length - 4096);
        await writeFile(file, bytes);
      }
      const logger = createRecordingLogger();
      const options = { directory: folder, environment: {}, logger, connMaxLifetimeMs: 1000 };
      const large = await openStore(config, { ...options, maxCheckedBytes: 100_000 });
      try {
        if (isDamaged)
          await eventually(() => expect(large.findFileFault()).to.include({ code: 'ERR_DATABASE_CORRUPT' }));
      } finally {
        await large.close(); // after the check
      }
      expect(logger.lines.map(({ level, message }) => [level, message])).to.deep.equal(
        isDamaged ? [['error', 'the database file is damaged']] : [],
      );
      expect(large.findFileFault()?.code).to.equal(isDamaged ? 'ERR_DATABASE_CORRUPT' : undefined);
      await rm(folder, { recursive: true });
    });
  }

  it('finds that the open file was deleted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-removed-'));
    const file = join(folder, 'registry.db');
    const open = await openTestStore({ ...DATABASE_DEFAULTS, url: `sqlite:${file}` });
    expect(open.findFileFault()).to.equal(undefined);
    await rename(file, `${file}.moved`);
    expect(open.findFileFault()).to.include({ code: 'ERR_DATABASE_REPLACED' });
    await rename(`${file}.moved`, file);
    expect(open.findFileFault()).to.equal(undefined);
    await open.close();
    await rm(folder, { recursive: true });
  });
});
