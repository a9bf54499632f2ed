import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

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

const STATEMENTS_KEPT = 200;

/**
 * One connection in this thread. Statements are prepared once and kept; the
 * oldest gives way past two hundred. A connection that only reads cannot write
 * by mistake.
 */
export class SqliteConnection implements SqliteExecutor {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, { readonly statement: StatementSync; readonly reads: boolean }>();

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

  #prepare(sql: string): { readonly statement: StatementSync; readonly reads: boolean } {
    let prepared = this.#statements.get(sql);
    if (prepared === undefined) {
      const statement = this.#database.prepare(sql);
      prepared = { statement, reads: statement.columns().length > 0 };
      this.#statements.set(sql, prepared);
      if (this.#statements.size > STATEMENTS_KEPT) {
        const [oldest] = this.#statements.keys();
        if (oldest !== undefined) this.#statements.delete(oldest);
      }
    }
    return prepared;
  }
}

/** The address by which SQLite opens a file and never makes one. */
function existing(path: string): URL {
  const address = pathToFileURL(path);
  address.searchParams.set('mode', 'rw');
  return address;
}
