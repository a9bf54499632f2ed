import type { DatabaseConfig } from '@portolan/kernel';
import { isPortolanError, type Logger } from '@portolan/plugin-api';
import { type CompiledQuery, Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import {
  databaseAccessDenied,
  databaseCorrupt,
  databaseFull,
  databaseReadOnly,
  databaseUnavailable,
  databaseUntrusted,
} from '../store-errors.ts';
import type { Database } from '../database-schema.ts';
import type { Connections, PoolState } from '../engine.ts';
import { logTo, tracedBy, type StatementTrace } from '../trace-statements.ts';
import { ResultLimit } from './result-limit.ts';
import { postgresSettings } from './postgres-settings.ts';
import { rdsTokens, type TokensFor } from './rds-tokens.ts';

export interface PostgresContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly connMaxLifetimeMs: number;
  readonly lookUpMs?: number | undefined;
  readonly logger: Logger;
  readonly trace?: StatementTrace | undefined;
  readonly note?: (error: unknown) => void;
}

/** Opens a pool without connecting. The first query reports an unreachable database. */
export function openPostgres(
  config: DatabaseConfig,
  where: string,
  { connMaxLifetimeMs, lookUpMs, logger, environment, trace, note = () => undefined }: PostgresContext,
): Connections {
  const pools: PoolReader[] = [];
  const names = new StatementNames();
  const openPool = (name: string, settings: pg.PoolConfig): pg.Pool => {
    const pool = new pg.Pool({
      ...settings,
      Client: translatingClient(where, names, { logger, lookUpMs, note }),
      // SAFETY: the pool awaits the promise, although its types do not declare it.
      onConnect: (client) => settle(client, lookUpMs) as unknown as undefined,
    });
    // The client has reported the error. Without a listener, the event would end the process.
    pool.on('error', () => undefined);
    pools.push(() => ({
      name,
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max: pool.options.max,
    }));
    return pool;
  };
  const open = (pool: pg.Pool): Kysely<Database> =>
    new Kysely<Database>({
      ...logTo(trace),
      dialect: new PostgresDialect({ pool: translatingPool(where, pool) }),
    });
  const tokens = tokensOf(config, environment);
  const pool = openPool('serving', {
    ...postgresSettings(config, 'serving', tokens),
    max: config.maxOpenConns,
    min: Math.min(config.maxIdleConns, config.maxOpenConns),
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: Math.ceil(connMaxLifetimeMs / 1000),
  });
  const db = open(pool);
  const migrator =
    config.migrationUser === undefined
      ? undefined
      : open(openPool('migrating', { ...postgresSettings(config, 'migrating', tokens), max: 2 }));
  return {
    engine: 'postgres',
    reading: db,
    writing: db,
    migrating: migrator ?? db,
    readPools: () => pools.map((read) => read()),
    readRows: tracedBy(trace, (query) => readRows(pool, query, names, where)),
    async close() {
      await migrator?.destroy();
      await db.destroy();
    },
  };
}

function tokensOf(
  { dynamicAuth, host, port }: DatabaseConfig,
  environment: PostgresContext['environment'],
): TokensFor | undefined {
  const settings = dynamicAuth?.awsRdsIam;
  if (settings === undefined || host === undefined || port === undefined) return undefined;
  return rdsTokens({ ...settings, hostname: host, port, environment });
}

type PoolReader = () => PoolState;

/**
 * Returns a pool for Kysely whose errors name the database and say whether it is unreachable or refuses the
 * login.
 */
function translatingPool(where: string, pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      try {
        return await pool.connect();
      } catch (error) {
        throw translate(error, where);
      }
    },
  };
}

/** Bypasses Kysely, which would double the cost of a compiled statement. */
async function readRows<Row>(
  pool: pg.Pool,
  { sql, parameters }: CompiledQuery<Row>,
  names: StatementNames,
  where: string,
): Promise<readonly Row[]> {
  const values = [...parameters];
  try {
    // SAFETY: the query's type describes its rows.
    const { rows } = await pool.query<Row & pg.QueryResultRow>({
      name: names.nameOf(sql, values),
      text: sql,
      values,
    } as pg.QueryConfig);
    return rows;
  } catch (error) {
    throw translate(error, where);
  }
}

/** Maximum number of parameters of a statement that is prepared. */
const MAX_PREPARED = 200;
const MAX_VALUES = 40;

/**
 * Lets each connection parse repeated reads once. Only statements that scan an index in order or look up by
 * key get a name; for others, PostgreSQL should plan with the actual values.
 */
class StatementNames {
  readonly #names = new Map<string, string>();

  nameOf(text: string, values: readonly unknown[]): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= MAX_PREPARED) return known;
    if (!text.startsWith('select') || text.includes('with "hits"') || values.length > MAX_VALUES)
      return undefined;
    const name = `portolan_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

/** Since PostgreSQL 14. Older servers return no row. */
const LOOK_FOR_CLIENT =
  "select set_config(name, $1, false) from pg_settings where name = 'client_connection_check_interval'";

async function settle(client: pg.ClientBase, lookUpMs: number | undefined): Promise<void> {
  // JIT compilation of a list takes longer than running it.
  await client.query('set jit = off');
  if (lookUpMs === undefined) return;
  // Cancels a lookup whose client has disconnected, which would otherwise wait for a lock. Some operating
  // systems cannot detect that and reject it.
  await client.query(LOOK_FOR_CLIENT, [`${lookUpMs}ms`]).catch(() => undefined);
}

interface ClientOptions extends Pick<PostgresContext, 'logger' | 'lookUpMs'> {
  readonly note: (error: unknown) => void;
}

function translatingClient(
  where: string,
  names: StatementNames,
  { logger, lookUpMs, note }: ClientOptions,
): typeof pg.Client {
  return class extends pg.Client {
    readonly #limit = new ResultLimit(lookUpMs, (reason) => this.connection.stream.destroy(reason));
    #lostBy: Error | undefined;

    constructor(config?: string | pg.ClientConfig) {
      super(config);
      // A connection may break at any time. Without a listener, the event would end the process. The current
      // or next query fails, and the pool drops the connection.
      this.on('error', (error) => {
        this.#lostBy ??= error;
        logger.warn({ database: where, err: error }, 'database connection lost');
      });
    }

    // SAFETY: Kysely calls the promise form, the pool the callback form, whose errors `readRows` translates.
    override query(...args: [query: never]): never {
      const [text, values, report]: unknown[] = args;
      const answered = this.#limit.begin(textOf(text));
      if (typeof report === 'function') {
        // SAFETY: a callback takes what the driver passes.
        const tell = afterwards(answered, report as (...response: unknown[]) => unknown);
        return super.query(...([text, values, tell] as unknown as [never]));
      }
      const name = typeof text === 'string' && Array.isArray(values) ? names.nameOf(text, values) : undefined;
      const call = name === undefined ? args : [{ name, text, values } as never];
      const answering: Promise<unknown> = super.query(...(call as [never]));
      return this.#translated(answering).finally(answered) as never;
    }

    async #translated(answering: Promise<unknown>): Promise<unknown> {
      try {
        return await answering;
      } catch (error) {
        this.#leaveStandby(error);
        const translated = isTooLate(error) ? this.#lost(error) : translate(error, where);
        note(translated);
        throw translated;
      }
    }

    /** Returns the reason for which the connection was lost, which the query's own error does not name. */
    #lost(error: unknown): unknown {
      const reason = translate(this.#lostBy ?? error, where);
      return isPortolanError(reason) ? reason : databaseUnavailable(where, reason);
    }

    /** Drops the connection to a read-only standby, because the next one may reach the primary. */
    #leaveStandby(error: unknown): void {
      if (!(error instanceof pg.DatabaseError) || error.code !== READ_ONLY) return;
      this.#lostBy ??= error;
      void this.end();
    }
  };
}

function afterwards(first: () => void, told: (...response: unknown[]) => unknown) {
  return (...response: unknown[]): void => {
    first();
    told(...response);
  };
}

/** Returns the SQL text of a query, which is a string or an object that contains one. */
function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  const text: unknown = Object(query).text;
  return typeof text === 'string' ? text : '';
}

/**
 * Returns whether the driver rejected a query because the connection was already lost, as during a rollback.
 */
function isTooLate(error: unknown): boolean {
  return error instanceof Error && error.message.includes('not queryable');
}

const ACCESS_DENIED = new Set(['28P01', '28000', '3D000', '42501', '42704']);
/** SQLSTATE classes: connection exception, operator intervention, insufficient resources. */
const UNAVAILABLE = ['08', '57', '53'];
/** SQLSTATE codes for transactions and sessions that PostgreSQL ended because they were idle. */
const GIVEN_UP = new Set(['25P03', '25P04']);
const READ_ONLY = '25006';
const DISK_FULL = '53100';
const NETWORK =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EPIPE|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)$/;
/** OpenSSL and Node.js codes of an invalid certificate. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/;

function translate(error: unknown, where: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined) return translateText(error, where);
  if (ACCESS_DENIED.has(code)) return databaseAccessDenied(where, error);
  if (code === DISK_FULL) return databaseFull(where, 'postgres', error);
  if (code === READ_ONLY) return databaseReadOnly(where, error);
  if (code === 'XX001' || code === 'XX002') return databaseCorrupt(where, error);
  if (/^[0-9A-Z]{5}$/.test(code) && UNAVAILABLE.includes(code.slice(0, 2))) {
    return databaseUnavailable(where, error);
  }
  if (NETWORK.test(code) || GIVEN_UP.has(code)) return databaseUnavailable(where, error);
  return CERTIFICATE.test(code) ? databaseUntrusted(where, error) : error;
}

/** Translates errors of the driver itself, which have no code, by their text. */
function translateText(error: Error, where: string): unknown {
  if (/SASL|password/i.test(error.message)) return databaseAccessDenied(where, error);
  return /connection terminated|timeout exceeded|timeout expired|not queryable|SSL|TLS/i.test(error.message)
    ? databaseUnavailable(where, error)
    : error;
}
