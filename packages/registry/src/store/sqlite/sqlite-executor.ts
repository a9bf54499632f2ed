import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/**
 * Caches prepared statements by their text, up to a total number of characters, and evicts the least recently
 * used. The limit counts characters because memory grows with the text: a sync has hundreds of statements
 * that differ only in the number of rows, each with a program as long as its text and its last values.
 */
export class KeptStatements<Prepared> {
  readonly #maxCharacters: number;
  readonly #kept = new Map<string, Prepared>();
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** Returns the cached result of `prepare` for a text, or calls it. */
  of(text: string, prepare: () => Prepared): Prepared {
    const known = this.#kept.get(text);
    if (known !== undefined) {
      // Moves it to the end, since the first statement is the least recently used.
      this.#kept.delete(text);
      this.#kept.set(text, known);
      return known;
    }
    const prepared = prepare();
    this.#kept.set(text, prepared);
    this.#characters += text.length;
    this.#dropOldest();
    return prepared;
  }

  clear(): void {
    this.#kept.clear();
    this.#characters = 0;
  }

  #dropOldest(): void {
    for (const text of this.#kept.keys()) {
      if (this.#characters <= this.#maxCharacters) return;
      this.#kept.delete(text);
      this.#characters -= text.length;
    }
  }
}

/** Result of one statement. */
export interface SqliteResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly changes: number | undefined;
}

/** Runs statements on one connection, in this thread or a worker. */
export interface SqliteExecutor {
  execute(sql: string, parameters: readonly unknown[]): SqliteResult | Promise<SqliteResult>;
  close(): void | Promise<void>;
}

/**
 * Maximum number of cached characters: about sixty read statements, and the statements that all batches of a
 * sync share.
 */
const MAX_CHARACTERS_KEPT = 100_000;

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly reads: boolean;
}

/**
 * A connection in this thread. Caches prepared statements (see `KeptStatements`). A read-only connection
 * cannot write.
 */
export class SqliteConnection implements SqliteExecutor {
  readonly #database: DatabaseSync;
  readonly #statements = new KeptStatements<PreparedStatement>(MAX_CHARACTERS_KEPT);

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
    // SAFETY: Kysely passes what the queries bind: strings, numbers and null.
    const values = parameters as SQLInputValue[];
    if (reads) return { rows: statement.all(...values), changes: undefined };
    return { rows: [], changes: Number(statement.run(...values).changes) };
  }

  /** Runs several statements without results. */
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

/** Returns the URI that opens a file but never creates it. */
function existing(path: string): URL {
  const address = pathToFileURL(path);
  address.searchParams.set('mode', 'rw');
  return address;
}
