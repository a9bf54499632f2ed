import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/**
 * Caches prepared statements and evicts the least recently used. The limit counts characters, because each
 * statement takes memory in proportion to its text, and a sync uses hundreds that differ only in the number
 * of rows.
 */
export class PreparedStatements<Prepared> {
  readonly #maxCharacters: number;
  readonly #statements = new Map<string, Prepared>();
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  of(text: string, prepare: () => Prepared): Prepared {
    const known = this.#statements.get(text);
    if (known !== undefined) {
      // The first statement is the least recently used.
      this.#statements.delete(text);
      this.#statements.set(text, known);
      return known;
    }
    const prepared = prepare();
    this.#statements.set(text, prepared);
    this.#characters += text.length;
    this.#dropOldest();
    return prepared;
  }

  clear(): void {
    this.#statements.clear();
    this.#characters = 0;
  }

  #dropOldest(): void {
    for (const text of this.#statements.keys()) {
      if (this.#characters <= this.#maxCharacters) return;
      this.#statements.delete(text);
      this.#characters -= text.length;
    }
  }
}

export interface SqliteResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly changes: number | undefined;
}

export interface SqliteExecutor {
  execute(sql: string, parameters: readonly unknown[]): SqliteResult | Promise<SqliteResult>;
  close(): void | Promise<void>;
}

/** About sixty read statements, and those that all batches of a sync share. */
const MAX_CHARACTERS_KEPT = 100_000;

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly reads: boolean;
}

/** A connection in this thread. A read-only one cannot write. */
export class SqliteConnection implements SqliteExecutor {
  readonly #database: DatabaseSync;
  readonly #statements = new PreparedStatements<PreparedStatement>(MAX_CHARACTERS_KEPT);

  /** `create` creates a missing file; the other modes throw. */
  constructor(path: string, mode: 'create' | 'write' | 'read') {
    this.#database = new DatabaseSync(mode === 'write' ? existing(path) : path, {
      readOnly: mode === 'read',
    });
    this.#database.exec('pragma busy_timeout = 30000; pragma foreign_keys = on; pragma temp_store = memory');
  }

  execute(sql: string, parameters: readonly unknown[]): SqliteResult {
    // After some errors, such as a full disk, SQLite has already rolled back.
    if (sql === 'rollback' && !this.#database.isTransaction) return { rows: [], changes: 0 };
    const { statement, reads } = this.#prepare(sql);
    // SAFETY: Kysely binds strings, numbers and null.
    const values = parameters as SQLInputValue[];
    if (reads) return { rows: statement.all(...values), changes: undefined };
    return { rows: [], changes: Number(statement.run(...values).changes) };
  }

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

/** Returns a path in the form that opens an existing file and never creates one. */
function existing(path: string): URL {
  const address = pathToFileURL(path);
  address.searchParams.set('mode', 'rw');
  return address;
}
