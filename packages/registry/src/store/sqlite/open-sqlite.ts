import { closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger, PortolanError } from '@portolan/plugin-api';
import { type CompiledQuery, Kysely } from 'kysely';
import type { Database } from '../database-schema.ts';
import type { Connections } from '../engine.ts';
import { logTo, tracedBy, type StatementTrace } from '../trace-statements.ts';
import {
  databaseCorrupt,
  databaseForeign,
  databaseFull,
  databaseNotWritable,
  databaseReplaced,
  databaseUnavailable,
} from '../store-errors.ts';
import { NodeSqliteDialect } from './sqlite-dialect.ts';
import { SqliteConnection, type SqliteResult } from './sqlite-executor.ts';
import { WorkerExecutor } from './worker-executor.ts';

/** "Port" in the file header (bytes 68 to 71) marks our databases. */
const APPLICATION_ID = 0x506f7274;
const HEADER = 'SQLite format 3\0';

export const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
export const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_IOERR_SHMSIZE = 4874;
const SQLITE_CANTOPEN = 14;
export const SQLITE_NOTADB = 26;

/** Larger files are checked in the background. 1 GB takes about a second. */
const MAX_CHECKED_BYTES = 1_000_000_000;

export interface SqliteFileOptions {
  readonly trace?: StatementTrace | undefined;
  readonly logger?: Logger;
  readonly note?: (error: unknown) => void;
  /** Larger files are checked in the background. */
  readonly maxCheckedBytes?: number | undefined;
}

/** Opens an in-memory database with one connection. Reads wait while a write is in progress. */
export function openSqliteInMemory(trace?: StatementTrace): Connections {
  const connection = new SqliteConnection(':memory:', 'create');
  const db = new Kysely<Database>({
    ...logTo(trace),
    dialect: new NodeSqliteDialect(connection, (error) => translate(error, 'in memory')),
  });
  return {
    engine: 'sqlite',
    reading: db,
    writing: db,
    migrating: db,
    // A writing transaction may be open on the only connection.
    readRows: async (query) => (await db.executeQuery(query)).rows,
    close: () => db.destroy(),
  };
}

/**
 * WAL mode: this thread reads, a worker thread writes. Throws when the file is damaged, foreign or not
 * writable, and leaves it unchanged.
 */
export function openSqliteFile(
  path: string,
  { trace, logger, note = () => undefined, maxCheckedBytes = MAX_CHECKED_BYTES }: SqliteFileOptions = {},
): Connections {
  const { reader, isChecked } = openReader(path, maxCheckedBytes);
  const wrap = (error: unknown): unknown => {
    const translated = translate(error, path);
    note(translated);
    return translated;
  };
  const reading = new Kysely<Database>({
    ...logTo(trace),
    dialect: new NodeSqliteDialect(reader, wrap),
  });
  const opened = identityOf(path);
  const writer = new WorkerExecutor(path, () => {
    if (identityOf(path) !== opened) throw databaseReplaced(path);
  });
  const writing = new Kysely<Database>({
    ...logTo(trace),
    dialect: new NodeSqliteDialect(writer, wrap),
  });
  let damage: PortolanError | undefined;
  const check = async (): Promise<void> => {
    damage = await checkAside(path);
    if (damage !== undefined) logger?.error({ err: damage }, 'the database file is damaged');
  };
  const checking = isChecked ? undefined : check();
  return {
    engine: 'sqlite',
    reading,
    writing,
    migrating: writing,
    findFileFault: () => (identityOf(path) === opened ? damage : databaseReplaced(path)),
    readEpoch() {
      try {
        return Number(reader.execute('select epoch from change where id = 1', []).rows[0]?.['epoch']);
      } catch (error) {
        throw wrap(error);
      }
    },
    readRows: tracedBy(trace, <Row>(query: CompiledQuery<Row>) => {
      try {
        const rows: readonly unknown[] = reader.execute(query.sql, query.parameters).rows;
        // SAFETY: Kysely's types describe its own rows.
        return rows as readonly Row[];
      } catch (error) {
        throw wrap(error);
      }
    }),
    async close() {
      await checking;
      reader.close();
      await writing.destroy();
      await reading.destroy();
    },
  };
}

/** Opens the connection for reading. `isChecked` is false when the file is too large to be checked now. */
function openReader(
  path: string,
  maxCheckedBytes: number,
): { readonly reader: SqliteConnection; readonly isChecked: boolean } {
  const isNew = inspectFile(path, 'a+') === 'empty';
  let reader: SqliteConnection | undefined;
  let isChecked = true;
  try {
    const creator = new SqliteConnection(path, 'create');
    try {
      if (isNew) creator.run(`pragma application_id = ${APPLICATION_ID}`);
      creator.run('pragma journal_mode = wal');
      isChecked = requireHealthy(creator, path, maxCheckedBytes);
      requireWritable(creator);
    } finally {
      creator.close();
    }
    reader = new SqliteConnection(path, 'read');
    reader.run('pragma cache_size = -2000');
    return { reader, isChecked };
  } catch (error) {
    reader?.close();
    throw translate(error, path);
  }
}

/**
 * Reads the first hundred bytes without SQLite, which would modify a file that it accepts. `r` requires the file
 * and reads it also from a read-only disk; `a+` creates it.
 */
function inspectFile(path: string, mode: 'r' | 'a+'): 'empty' | 'ours' {
  const header = Buffer.alloc(100);
  let length: number;
  try {
    if (mode === 'a+') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = openSync(path, mode, 0o600);
    try {
      length = readSync(file, header, 0, header.length, 0);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw databaseNotWritable(path, error);
  }
  if (length === 0) return 'empty';
  if (length < header.length || header.toString('latin1', 0, HEADER.length) !== HEADER) {
    throw databaseForeign(path, 'a file that is no SQLite database');
  }
  if (header.readUInt32BE(68) !== APPLICATION_ID) {
    throw databaseForeign(path, 'an SQLite database of another program');
  }
  return 'ours';
}

/**
 * Checks only the schema of a file above the maximum size. Returns whether the content was checked. Throws
 * ERR_DATABASE_CORRUPT.
 */
function requireHealthy(connection: SqliteConnection, path: string, maxBytes: number): boolean {
  const [sizes] = connection.execute(
    'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
    [],
  ).rows;
  const bytes = Number(sizes?.['bytes'] ?? 0);
  const isSmall = bytes <= maxBytes;
  const { rows } = connection.execute(isSmall ? QUICK_CHECK : 'select count(*) from sqlite_schema', []);
  const damage = isSmall ? damageIn(rows) : undefined;
  if (damage !== undefined) throw databaseCorrupt(path, damage);
  return isSmall;
}

const QUICK_CHECK = 'pragma quick_check(1)';

/** Parses the result of `quick_check`. */
function damageIn(rows: SqliteResult['rows']): string | undefined {
  const value = String(Object.values(rows[0] ?? {})[0]);
  return value === 'ok' ? undefined : value;
}

/** Checks in a worker thread. Never rejects. */
async function checkAside(path: string): Promise<PortolanError | undefined> {
  const checker = new WorkerExecutor(path, () => undefined);
  try {
    const damage = damageIn((await checker.execute(QUICK_CHECK, [])).rows);
    return damage === undefined ? undefined : databaseCorrupt(path, damage);
  } catch (error) {
    return databaseCorrupt(path, error);
  } finally {
    await checker.close();
  }
}

/** Checks a file without changing it. Throws ERR_DATABASE_FOREIGN and ERR_DATABASE_CORRUPT. */
export function checkSqliteFile(path: string): void {
  if (inspectFile(path, 'r') === 'empty') throw databaseForeign(path, 'an empty file');
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(path, 'read');
    requireHealthy(connection, path, Number.POSITIVE_INFINITY);
  } catch (error) {
    throw translate(error, path);
  } finally {
    connection?.close();
  }
}

function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

/**
 * A concurrent writer proves that the file is writable; its transaction may be long, so this does not wait.
 */
function requireWritable(connection: SqliteConnection): void {
  connection.run('pragma busy_timeout = 0');
  try {
    connection.run('begin immediate; rollback');
  } catch (error) {
    if (codeOf(error) !== SQLITE_BUSY) throw error;
  }
}

/** Returns SQLite's primary error code; 0 for other errors. */
export function codeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

/**
 * Returns whether an error means a full disk. SQLite reports an I/O error in place of its own code when it
 * cannot enlarge its shared memory.
 */
function isDiskFull(error: unknown): boolean {
  const whole = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  return codeOf(error) === SQLITE_FULL || whole === SQLITE_IOERR_SHMSIZE;
}

function translate(error: unknown, path: string): unknown {
  if (isDiskFull(error)) return databaseFull(path, 'sqlite', error);
  switch (codeOf(error)) {
    case SQLITE_CORRUPT:
      return databaseCorrupt(path, error);
    case SQLITE_NOTADB:
      return databaseForeign(path, 'a file that is no SQLite database');
    case SQLITE_READONLY:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return databaseNotWritable(path, error);
    case SQLITE_BUSY:
      return databaseUnavailable(path, error);
    default:
      return error;
  }
}
