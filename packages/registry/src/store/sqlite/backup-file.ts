import { randomUUID } from 'node:crypto';
import { closeSync, constants, existsSync, fsyncSync, openSync, statSync } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync, backup } from 'node:sqlite';
import { databaseInUse } from '../store-errors.ts';
import { checkSqliteFile, codeOf, SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_NOTADB } from './open-sqlite.ts';

/**
 * Copies a SQLite database to a new file of mode 0600, also while a server writes to it. The file is complete or
 * absent. Throws ERR_DATABASE_* when the database is missing, foreign or damaged, and Node.js's error when the
 * file cannot be written.
 */
export async function backUpDatabase(database: string, file: string): Promise<void> {
  await access(database, constants.R_OK);
  checkSqliteFile(database);
  await copyDatabase(database, file);
}

/** Files that a restore kept. */
export interface KeptFiles {
  /** The former database. */
  readonly former?: string;
  /** A write-ahead log that lay there without a database. It may contain committed changes of a moved one. */
  readonly log?: string;
}

/**
 * Replaces a database with a backup. The former file, if there is one, moves to `DATABASE.before-restore`, or to
 * `DATABASE.before-restore-2` and so on when that name is taken. Throws ERR_DATABASE_IN_USE while a process has the
 * database open, and ERR_DATABASE_* when the backup is foreign or damaged; the database is unchanged then.
 */
export async function restoreDatabase(backupFile: string, database: string): Promise<KeptFiles> {
  await access(backupFile, constants.R_OK);
  checkSqliteFile(backupFile);
  await mkdir(path.dirname(database), { recursive: true, mode: 0o700 });
  const release = lockDatabase(database);
  const copy = `${database}.${randomUUID()}`;
  try {
    await copyDatabase(backupFile, copy);
    const former = findFreeName(`${database}.before-restore`);
    // A write-ahead log that stays would be replayed over the restored file. It moves first: SQLite finds it next to
    // the former database, and never next to the restored one.
    const hasLog = hasContent(`${database}-wal`);
    if (hasLog) await rename(`${database}-wal`, `${former}-wal`);
    if (release !== undefined) await rename(database, former);
    // An empty log and the index of a log contain no changes.
    for (const suffix of ['-wal', '-shm']) await rm(`${database}${suffix}`, { force: true });
    await rename(copy, database);
    syncFolder(path.dirname(database));
    if (release !== undefined) return { former };
    return hasLog ? { log: `${former}-wal` } : {};
  } finally {
    release?.();
    await rm(copy, { force: true });
  }
}

/** Returns the first of `NAME`, `NAME-2`, `NAME-3` … that neither a database nor a write-ahead log has. */
function findFreeName(name: string): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!['', '-wal', '-shm'].some((suffix) => existsSync(`${candidate}${suffix}`))) return candidate;
  }
}

function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Copies with SQLite's backup interface, which includes the write-ahead log, and flushes the copy to the disk. */
async function copyDatabase(from: string, to: string): Promise<void> {
  // Creates the file with its mode before it has content. SQLite keeps the mode.
  closeSync(openSync(to, 'wx', 0o600));
  try {
    const source = new DatabaseSync(from, { readOnly: true });
    try {
      await backup(source, to);
    } finally {
      source.close();
    }
    // Without WAL mode, readers of the copy create no other files.
    const copy = new DatabaseSync(to);
    copy.exec('pragma journal_mode = delete');
    copy.close();
    const descriptor = openSync(to, 'r+');
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
}

/**
 * Locks a database against every other connection. Returns a function that releases the lock; undefined when there
 * is no file. Each connection in WAL mode holds a shared lock as long as it is open, so the lock fails while a
 * server runs. The lock also writes the content of the write-ahead log into the file.
 */
function lockDatabase(file: string): (() => void) | undefined {
  let database: DatabaseSync;
  try {
    closeSync(openSync(file, 'r+'));
    database = new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    database.exec(
      'pragma locking_mode = exclusive; begin exclusive; commit; pragma wal_checkpoint(truncate)',
    );
  } catch (error) {
    database.close();
    const code = codeOf(error);
    // A damaged file cannot be locked, and it is what a restore is for. No server can open it either.
    if (code === SQLITE_CORRUPT || code === SQLITE_NOTADB) return () => undefined;
    throw code === SQLITE_BUSY ? databaseInUse(file, error) : error;
  }
  return () => database.close();
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
