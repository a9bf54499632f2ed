import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { KeptStatements } from './kept-statements.ts';

/** What one statement answered. */
export interface SqliteResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly changes: number | undefined;
}

/** Runs statements on one connection, in this thread or in another. */
export interface SqliteExecutor {
  execute(sql: string, parameters: readonly unknown[]): SqliteResult | Promise<SqliteResult>;
  close(): void | Promise<void>;
}

/** Some sixty statements of a reader; of a sync, the ones that all batches share. */
const MAX_CHARACTERS_KEPT = 100_000;

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly reads: boolean;
}

/**
 * One connection in this thread. Statements are prepared once and kept, see
 * `KeptStatements`. A connection that only reads cannot write by mistake.
 */
export class SqliteConnection implements SqliteExecutor {
  readonly #database: DatabaseSync;
  readonly #statements = new KeptStatements<PreparedStatement>(MAX_CHARACTERS_KEPT);

  /** `create` makes a file that is missing; the others throw. */
  constructor(path: string, mode: 'create' | 'write' | 'read') {
    this.#database = new DatabaseSync(mode === 'write' ? existing(path) : path, {
      readOnly: mode === 'read',
    });
    this.#database.exec('pragma busy_timeout = 30000; pragma foreign_keys = on; pragma temp_store = memory');
  }

  execute(sql: string, parameters: readonly unknown[]): SqliteResult {
    // After some faults (a full disk) SQLite has undone the transaction already.
    if (sql === 'rollback' && !this.#database.isTransaction) return { rows: [], changes: 0 };
    const { statement, reads } = this.#prepare(sql);
    // SAFETY: Kysely hands over what the query code binds: text, numbers and null.
    const values = parameters as SQLInputValue[];
    if (reads) return { rows: statement.all(...values), changes: undefined };
    return { rows: [], changes: Number(statement.run(...values).changes) };
  }

  /** Runs several statements that answer nothing. */
  run(sql: string): void {
    this.#database.exec(sql);
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): PreparedStatement {
    return this.#statements.of(sql, () => {
      const statement = this.#database.prepare(sql);
      return { statement, reads: statement.columns().length > 0 };
    });
  }
}

/** The address by which SQLite opens a file and never makes one. */
function existing(path: string): URL {
  const address = pathToFileURL(path);
  address.searchParams.set('mode', 'rw');
  return address;
}
