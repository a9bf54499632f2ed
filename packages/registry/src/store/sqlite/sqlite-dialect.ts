import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import type { SqliteExecutor } from './sqlite-executor.ts';

/**
 * A transaction acquires the write lock when it begins, so that a concurrent write cannot fail it halfway.
 * Other users of the connection wait.
 */
export class NodeSqliteDialect implements Dialect {
  readonly #executor: SqliteExecutor;
  readonly #translate: (error: unknown) => unknown;

  constructor(executor: SqliteExecutor, translate: (error: unknown) => unknown) {
    this.#executor = executor;
    this.#translate = translate;
  }

  createDriver(): Driver {
    return new NodeSqliteDriver(this.#executor, this.#translate);
  }

  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return new TransactionalSqliteAdapter();
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- Kysely's interface says so
  createIntrospector(db: Kysely<any>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}

/**
 * Kysely runs SQLite migrations outside of transactions. Here, concurrent processes migrate in turn, and a
 * failed migration leaves nothing behind.
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #executor: SqliteExecutor;
  readonly #connection: DatabaseConnection;
  #free: Promise<void> = Promise.resolve();
  #release: (() => void) | undefined;

  constructor(executor: SqliteExecutor, translate: (error: unknown) => unknown) {
    this.#executor = executor;
    this.#connection = connectionOver(executor, translate);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#free;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#free = promise;
    await before;
    this.#release = resolve;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release?.();
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const mode = settings.accessMode === 'read only' ? 'deferred' : 'immediate';
    await connection.executeQuery(CompiledQuery.raw(`begin ${mode}`));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    await this.#executor.close();
  }
}

function connectionOver(
  executor: SqliteExecutor,
  translate: (error: unknown) => unknown,
): DatabaseConnection {
  return {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      try {
        const { rows, changes } = await executor.execute(query.sql, query.parameters);
        // SAFETY: Kysely's types describe its own rows.
        const typed = rows as readonly unknown[] as Row[];
        return changes === undefined ? { rows: typed } : { rows: typed, numAffectedRows: BigInt(changes) };
      } catch (error) {
        throw translate(error);
      }
    },
    // oxlint-disable-next-line require-yield -- nothing here streams
    async *streamQuery(): AsyncIterableIterator<never> {
      throw new TypeError('the SQLite connection cannot stream; use pages');
    },
  };
}
