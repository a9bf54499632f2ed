import type { Tracer } from '@portolan/plugin-api';
import type { CompiledQuery, KyselyConfig, LogEvent } from 'kysely';
import type { EngineName, ReadRows } from './engine.ts';

/** Reports statements as spans below the running one: their text, never parameter values. */
export class StatementTrace {
  readonly #tracer: Tracer;
  readonly #system: string;
  readonly #where: string;

  constructor(tracer: Tracer, engine: EngineName, where: string) {
    this.#tracer = tracer;
    this.#system = engine === 'postgres' ? 'postgresql' : 'sqlite';
    this.#where = where;
  }

  /** Function for Kysely's `log` option. It runs in the context that awaited the statement. */
  readonly log = (event: LogEvent): void => {
    this.#tell(event.query.sql, event.queryDurationMillis, event.level === 'error' ? event.error : undefined);
  };

  around(readRows: ReadRows): ReadRows {
    const tell = (sql: string, startedMs: number, error?: unknown): void =>
      this.#tell(sql, performance.now() - startedMs, error);
    return <Row>(query: CompiledQuery<Row>) => {
      if (this.#tracer.current() === undefined) return readRows(query);
      const startedMs = performance.now();
      const rows = readRows(query);
      if (!(rows instanceof Promise)) {
        tell(query.sql, startedMs);
        return rows;
      }
      return rows.then(
        (read) => {
          tell(query.sql, startedMs);
          return read;
        },
        (error: unknown) => {
          tell(query.sql, startedMs, error);
          throw error;
        },
      );
    };
  }

  #tell(sql: string, durationMs: number, error: unknown): void {
    if (this.#tracer.current() === undefined) return;
    const { operation, table } = summaryOf(sql);
    this.#tracer.record({
      name: table === undefined ? operation : `${operation} ${table}`,
      kind: 'client',
      durationMs,
      failed: error === undefined ? undefined : typeOf(error),
      attributes: {
        'db.system.name': this.#system,
        'db.namespace': this.#where,
        'db.operation.name': operation,
        ...(table === undefined ? {} : { 'db.collection.name': table }),
        'db.query.text': sql,
      },
    });
  }
}

export function logTo(trace: StatementTrace | undefined): Pick<KyselyConfig, 'log'> {
  return trace === undefined ? {} : { log: trace.log };
}

/** Adds tracing to statements that bypass Kysely. */
export function tracedBy(trace: StatementTrace | undefined, readRows: ReadRows): ReadRows {
  return trace?.around(readRows) ?? readRows;
}

/** Returns the operation of a statement and its first table. */
function summaryOf(sql: string): { readonly operation: string; readonly table: string | undefined } {
  const operation = /^\s*\(?\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'STATEMENT';
  const table = /\b(?:from|into|update)\s+"?(\w+)/i.exec(sql)?.[1];
  return { operation, table };
}

function typeOf(error: unknown): string {
  const code: unknown = Object(error).code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : typeof error;
}
