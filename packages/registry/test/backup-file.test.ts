import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { TemporaryFolders } from '../../../test/support/temporary-folders.ts';
import { backUpDatabase, restoreDatabase } from '../src/index.ts';
import { openSqliteFile } from '../src/store/sqlite/open-sqlite.ts';

describe('backup of a SQLite database', () => {
  const folders = new TemporaryFolders();
  let folder: string;
  let file: string;
  let saved: string;

  beforeEach(async () => {
    folder = await folders.make();
    file = path.join(folder, 'registry.db');
    saved = path.join(folder, 'saved.db');
    await openSqliteFile(file).close();
    write('before');
  });
  afterEach(() => folders.removeAll());

  function write(value: string): void {
    const database = new DatabaseSync(file);
    database.exec('create table if not exists note (value text)');
    database.prepare('insert into note values (?)').run(value);
    database.close();
  }

  function read(database: string): readonly unknown[] {
    const opened = new DatabaseSync(database);
    try {
      return opened
        .prepare('select value from note')
        .all()
        .map(({ value }) => value);
    } finally {
      opened.close();
    }
  }

  it('contains what is only in the write-ahead log, with mode 0600', async () => {
    const server = openSqliteFile(file);
    const writer = new DatabaseSync(file);
    writer.exec('pragma wal_autocheckpoint = 0');
    writer.prepare('insert into note values (?)').run('in the log');
    await backUpDatabase(file, saved);
    writer.close();
    await server.close();
    expect(read(saved)).to.deep.equal(['before', 'in the log']);
    expect((await stat(saved)).mode & 0o777).to.equal(0o600);
  });

  it('refuses to overwrite a file', async () => {
    await writeFile(saved, 'other');
    const error = await backUpDatabase(file, saved).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'EEXIST' });
    expect((await stat(saved)).size).to.equal(5);
  });

  it('leaves no file when its folder is missing', async () => {
    const missing = path.join(folder, 'no-such-folder', 'saved.db');
    const error = await backUpDatabase(file, missing).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'ENOENT' });
    expect(existsSync(missing)).to.equal(false);
  });

  it('restores without the write-ahead log of a killed server, and keeps the former database', async () => {
    await backUpDatabase(file, saved);
    // A copy of an open database is what a killed server leaves.
    const writer = new DatabaseSync(file);
    writer.exec('pragma wal_autocheckpoint = 0');
    writer.prepare('insert into note values (?)').run('after the backup');
    const killed = path.join(folder, 'killed');
    const target = path.join(killed, 'registry.db');
    await mkdir(killed);
    for (const suffix of ['', '-wal', '-shm']) await copyFile(`${file}${suffix}`, `${target}${suffix}`);
    writer.close();
    const { former } = await restoreDatabase(saved, target);
    expect(former).to.equal(`${target}.before-restore`);
    expect((await readdir(killed)).toSorted()).to.deep.equal(['registry.db', 'registry.db.before-restore']);
    expect(read(target)).to.deep.equal(['before']);
    expect(read(former ?? '')).to.deep.equal(['before', 'after the backup']);
  });

  it('keeps every former database when it restores again', async () => {
    await backUpDatabase(file, saved);
    const copies: (string | undefined)[] = [];
    for (const value of ['first', 'second', 'third']) {
      write(value);
      copies.push((await restoreDatabase(saved, file)).former);
    }
    expect(copies).to.deep.equal(['', '-2', '-3'].map((suffix) => `${file}.before-restore${suffix}`));
    expect(copies.map((copy) => read(copy ?? ''))).to.deep.equal([
      ['before', 'first'],
      ['before', 'second'],
      ['before', 'third'],
    ]);
  });

  it('keeps the write-ahead log of a database that was moved away', async () => {
    await backUpDatabase(file, saved);
    const writer = new DatabaseSync(file);
    writer.exec('pragma wal_autocheckpoint = 0');
    writer.prepare('insert into note values (?)').run('in the log');
    const moved = path.join(folder, 'moved', 'registry.db');
    const target = path.join(folder, 'target', 'registry.db');
    for (const copy of [moved, target]) await mkdir(path.dirname(copy));
    await copyFile(file, moved);
    await copyFile(`${file}-wal`, `${target}-wal`);
    writer.close();
    const { former, log } = await restoreDatabase(saved, target);
    expect(former).to.equal(undefined);
    expect(log).to.equal(`${target}.before-restore-wal`);
    await copyFile(log ?? '', `${moved}-wal`);
    expect(read(target)).to.deep.equal(['before']);
    expect(read(moved)).to.deep.equal(['before', 'in the log']);
  });

  for (const [what, damage] of [
    ['its header', (bytes: Buffer) => bytes.fill(0x41, 0, 100)],
    ['its content', (bytes: Buffer) => bytes.fill(0x41, 100)],
    ['all of it', () => Buffer.from('no database')],
  ] as const) {
    it(`restoreDatabase › replaces a database and keeps the file when ${what} is damaged`, async () => {
      await backUpDatabase(file, saved);
      const damaged = damage(await readFile(file));
      await writeFile(file, damaged);
      const { former } = await restoreDatabase(saved, file);
      expect(await readFile(former ?? '')).to.deep.equal(damaged);
      expect(read(file)).to.deep.equal(['before']);
    });
  }

  it('restores where there is no database', async () => {
    await backUpDatabase(file, saved);
    const target = path.join(folder, 'new', 'registry.db');
    expect(await restoreDatabase(saved, target)).to.deep.equal({});
    expect(read(target)).to.deep.equal(['before']);
  });

  it('refuses to restore while a server has the database open', async () => {
    await backUpDatabase(file, saved);
    const server = openSqliteFile(file);
    const error = await restoreDatabase(saved, file).catch((reason: unknown) => reason);
    await server.close();
    expect(error).to.include({ code: 'ERR_DATABASE_IN_USE' });
    expect(read(file)).to.deep.equal(['before']);
  });

  for (const { found, content } of [
    { found: 'a text', content: 'no database' },
    { found: 'no content', content: '' },
  ]) {
    it(`refuses to restore from a file with ${found}`, async () => {
      await writeFile(saved, content);
      const error = await restoreDatabase(saved, file).catch((reason: unknown) => reason);
      expect(error).to.include({ code: 'ERR_DATABASE_FOREIGN' });
      expect(read(file)).to.deep.equal(['before']);
      expect((await stat(saved)).size).to.equal(content.length);
    });
  }
});
