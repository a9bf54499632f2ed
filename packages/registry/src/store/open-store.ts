import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { DatabaseConfig } from '@portolan/kernel';
import type { Logger, PortolanError, Tracer } from '@portolan/plugin-api';
import { type Kysely, sql } from 'kysely';
import { databaseUrlInvalid } from './store-errors.ts';
import type { Database } from './database-schema.ts';
import type { Connections, EngineName, PoolState, ReadRows } from './engine.ts';
import { Migrations } from './migrations/migrations.ts';
import { StatementTrace } from './trace-statements.ts';
import { WriteHealth } from './write-health.ts';

export interface StoreOptions {
  /** Folder to which relative SQLite paths refer. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Maximum age of a PostgreSQL connection, in milliseconds. */
  readonly connMaxLifetimeMs: number;
  /** Timeout of PostgreSQL reads in milliseconds, after which the connection is dropped. Default: none. */
  readonly lookUpMs?: number;
  readonly tracer?: Tracer | undefined;
  /** Size in bytes above which a SQLite file is checked in the background after opening. Default: 1 GB. */
  readonly maxCheckedBytes?: number;
  /** Monotonic time in milliseconds. Default: `performance.now`. */
  readonly nowMs?: () => number;
}

/** An open database. The same queries serve both engines; `engine` selects the dialect where they differ. */
export interface Store {
  readonly engine: EngineName;
  /** Description of the database for messages: its file, or `host:port/database`. */
  readonly where: string;
  readonly reading: Kysely<Database>;
  readonly writing: Kysely<Database>;
  /** Connection with the role that owns the tables. Usually the same as `writing`. */
  readonly owning: Kysely<Database>;
  readonly migrations: Migrations;
  /** Last committed change, if the engine can read it synchronously (see `CatalogCache`). */
  readonly readEpoch?: () => number;
  /** Runs a read. Returns the rows directly where the engine is synchronous, otherwise a promise. */
  readonly readRows: ReadRows;
  /**
   * Returns ERR_DATABASE_REPLACED when the open file was removed or replaced, and ERR_DATABASE_CORRUPT after
   * a background check.
   */
  findFileFault(): PortolanError | undefined;
  /** Returns why writes fail while reads succeed, such as ERR_DATABASE_FULL. */
  findWriteFault(): Promise<PortolanError | undefined>;
  /** Returns the state of each connection pool. Empty for a SQLite file. */
  readPools(): readonly PoolState[];
  close(): Promise<void>;
}

/**
 * Opens the database without changing its schema (see `Migrations`). Loads only the driver of the chosen
 * engine. Throws ERR_DATABASE_* when the database belongs to another program or is damaged, unreachable or
 * not writable.
 */
export async function openStore(config: DatabaseConfig, options: StoreOptions): Promise<Store> {
  const target = locateDatabase(config, options);
  const { tracer } = options;
  const trace = tracer === undefined ? undefined : new StatementTrace(tracer, target.engine, target.where);
  const note = (error: unknown): void => writes.note(error);
  const connections = await connect(config, target, { ...options, note }, trace);
  const { engine, reading, writing, readEpoch, readRows } = connections;
  const { logger, nowMs } = options;
  const tryWrite = () => sql`update change set epoch = epoch where id = 1`.execute(writing);
  const writes = new WriteHealth({ tryWrite, logger, ...(nowMs === undefined ? {} : { nowMs }) });
  const migrations = new Migrations(connections.migrating, engine, target.where);
  return {
    engine,
    where: target.where,
    reading,
    writing,
    owning: connections.migrating,
    migrations,
    readRows,
    ...(readEpoch === undefined ? {} : { readEpoch }),
    findFileFault: () => connections.findFileFault?.(),
    findWriteFault: () => writes.findFault(),
    readPools: () => connections.readPools?.() ?? [],
    close: () => connections.close(),
  };
}

/** Returns the SQLite file that `openStore` would open or create. Undefined for other databases. */
export function databaseFile(
  config: DatabaseConfig,
  options: Pick<StoreOptions, 'directory' | 'environment'>,
): string | undefined {
  const { engine, where } = locateDatabase(config, options);
  return engine === 'sqlite' && where !== ':memory:' ? where : undefined;
}

interface DatabaseTarget {
  readonly engine: EngineName;
  readonly where: string;
}

/** Parses the database URL. Its result depends only on the arguments and the home folder. */
function locateDatabase(
  config: DatabaseConfig,
  options: Pick<StoreOptions, 'directory' | 'environment'>,
): DatabaseTarget {
  const { url } = config;
  if (config.host !== undefined)
    return { engine: 'postgres', where: `${config.host}:${config.port}/${config.database}` };
  if (url === undefined) {
    const data = options.environment['XDG_DATA_HOME'];
    const base = data !== undefined && isAbsolute(data) ? data : join(homedir(), '.local', 'share');
    return { engine: 'sqlite', where: join(base, 'portolan', 'registry.db') };
  }
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) {
    const { host, pathname } = new URL(url);
    return { engine: 'postgres', where: `${host}${pathname}` };
  }
  if (url === 'sqlite::memory:') return { engine: 'sqlite', where: ':memory:' };
  if (url.startsWith('sqlite:') && url.length > 'sqlite:'.length) {
    // `sqlite:///var/lib/x.db` is absolute, as in other programs. Nothing is percent-decoded.
    const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    return { engine: 'sqlite', where: resolve(options.directory, path) };
  }
  throw databaseUrlInvalid(url.slice(0, Math.max(0, url.indexOf(':') + 1)) || 'no scheme');
}

async function connect(
  config: DatabaseConfig,
  target: DatabaseTarget,
  options: StoreOptions & { readonly note: (error: unknown) => void },
  trace: StatementTrace | undefined,
): Promise<Connections> {
  if (target.engine === 'postgres') {
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return openPostgres(config, target.where, { ...options, trace });
  }
  const { openSqliteFile, openSqliteInMemory } = await import('./sqlite/open-sqlite.ts');
  return target.where === ':memory:'
    ? openSqliteInMemory(trace)
    : openSqliteFile(target.where, { ...options, trace });
}
