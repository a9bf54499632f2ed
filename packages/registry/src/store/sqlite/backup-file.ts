import { randomUUID } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync, backup } from 'node:sqlite';
import { databaseInUse } from '../store-errors.ts';
import { checkSqliteFile, codeOf, SQLITE_BUSY } from './open-sqlite.ts';

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

/**
 * Replaces a database with a backup. The former file, if there is one, moves to `DATABASE.before-restore`. Throws
 * ERR_DATABASE_IN_USE while a process has the database open, and ERR_DATABASE_* when the backup is foreign or
 * damaged; the database is unchanged then.
 */
export async function restoreDatabase(
  backupFile: string,
  database: string,
): Promise<{ readonly former?: string }> {
  await access(backupFile, constants.R_OK);
  checkSqliteFile(backupFile);
  await mkdir(path.dirname(database), { recursive: true, mode: 0o700 });
  const release = lockDatabase(database);
  const copy = `${database}.${randomUUID()}`;
  try {
    await copyDatabase(backupFile, copy);
    const former = `${database}.before-restore`;
    if (release !== undefined) await rename(database, former);
    // A write-ahead log that a killed server left would be replayed over the restored file.
    for (const suffix of ['-wal', '-shm']) await rm(`${database}${suffix}`, { force: true });
    await rename(copy, database);
    syncFolder(path.dirname(database));
    return release === undefined ? {} : { former };
  } finally {
    release?.();
    await rm(copy, { force: true });
  }
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
    throw codeOf(error) === SQLITE_BUSY ? databaseInUse(file, error) : error;
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
