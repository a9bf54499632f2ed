import { isPortolanError } from '@portolan/plugin-api';
import { type Kysely, sql } from 'kysely';
import {
  type Migration,
  type MigrationInfo,
  type MigrationResultSet,
  Migrator,
  NO_MIGRATIONS,
} from 'kysely/migration';
import {
  databaseForeign,
  databaseUnavailable,
  migrationFailed,
  schemaOutdated,
  schemaTooNew,
} from '../store-errors.ts';
import type { Database } from '../database-schema.ts';
import type { EngineName } from '../engine.ts';
import * as initialTables from './0001-tables.ts';
import * as administration from './0002-administration.ts';
import * as sourceChanges from './0003-source-changes.ts';
import * as carriedFacts from './0004-carried-facts.ts';
import * as browserSessions from './0005-browser-sessions.ts';
import * as syncRevisions from './0006-sync-revisions.ts';
import * as heldSyncs from './0007-held-syncs.ts';

interface Steps {
  up(db: Kysely<unknown>, engine: EngineName): Promise<void>;
  down(db: Kysely<unknown>, engine: EngineName): Promise<void>;
}

/** Every migration, in order. Released names never change. */
const MIGRATIONS: Readonly<Record<string, Steps>> = {
  '0001-tables': initialTables,
  '0002-administration': administration,
  '0003-source-changes': sourceChanges,
  '0004-carried-facts': carriedFacts,
  '0005-browser-sessions': browserSessions,
  '0006-sync-revisions': syncRevisions,
  '0007-held-syncs': heldSyncs,
};

export interface MigrationState {
  readonly name: string;
  /** Time at which the migration was applied. Undefined for a pending migration. */
  readonly appliedAt: Date | undefined;
}

/** Migrates the schema forward and back. Safe for concurrent processes. */
export class Migrations {
  readonly #db: Kysely<Database>;
  readonly #where: string;
  readonly #migrator: Migrator;

  constructor(db: Kysely<Database>, engine: EngineName, where: string) {
    this.#db = db;
    this.#where = where;
    const bound = Object.entries(MIGRATIONS).map(([name, steps]): [string, Migration] => [
      name,
      { up: (inner) => steps.up(inner, engine), down: (inner) => steps.down(inner, engine) },
    ]);
    this.#migrator = new Migrator({
      db,
      provider: { getMigrations: async () => Object.fromEntries(bound) },
      migrationTableName: 'portolan_migration',
      migrationLockTableName: 'portolan_migration_lock',
    });
  }

  /**
   * Returns every migration with its state. Throws when a newer version or another program has written the
   * database.
   */
  async status(): Promise<readonly MigrationState[]> {
    await this.#refuseForeign();
    const known = await this.#migrator.getMigrations();
    return known.map((info: MigrationInfo) => ({ name: info.name, appliedAt: info.executedAt }));
  }

  /** Throws when a migration is pending, or a newer version or another program has written the database. */
  async requireCurrent(): Promise<void> {
    const pending = (await this.status()).filter((state) => state.appliedAt === undefined);
    if (pending.length > 0) throw schemaOutdated(pending.map((state) => state.name));
  }

  /** Applies the next `steps` migrations, by default all. Returns their names. */
  async up(steps?: number): Promise<readonly string[]> {
    const pending = (await this.status()).filter((state) => state.appliedAt === undefined);
    const target = pending[Math.min(steps ?? pending.length, pending.length) - 1];
    if (target === undefined) return [];
    return this.#namesOf(await this.#migrator.migrateTo(target.name));
  }

  /** Reverts the last `steps` migrations. Returns their names. */
  async down(steps: number): Promise<readonly string[]> {
    const applied = (await this.status()).filter((state) => state.appliedAt !== undefined);
    if (applied.length === 0 || steps < 1) return [];
    const target = applied[applied.length - steps - 1];
    return this.#namesOf(await this.#migrator.migrateTo(target?.name ?? NO_MIGRATIONS));
  }

  async #refuseForeign(): Promise<void> {
    const tables = await this.#db.introspection.getTables({ withInternalKyselyTables: true });
    const names = new Set(tables.map((table) => table.name));
    if (!names.has('portolan_migration')) {
      const clash = ['change', 'source', 'registry', 'entry'].filter((name) => names.has(name));
      if (clash.length > 0)
        throw databaseForeign(this.#where, `tables of another program (${clash.join(', ')})`);
      return;
    }
    const { rows } = await sql<{ name: string }>`select name from portolan_migration order by name`.execute(
      this.#db,
    );
    const unknown = rows.map((row) => row.name).filter((name) => !(name in MIGRATIONS));
    if (unknown.length > 0) throw schemaTooNew(unknown);
  }

  #namesOf({ error, results }: MigrationResultSet): readonly string[] {
    const failed = results?.find((result) => result.status === 'Error');
    if (isPortolanError(error) && NOT_OF_MIGRATIONS.includes(error.code)) throw error;
    if (isConnectionLost(error))
      throw databaseUnavailable(this.#where, new Error('the connection was lost during the migration'));
    if (error !== undefined) throw migrationFailed(failed?.migrationName ?? '(none)', error);
    return (results ?? []).map((result) => result.migrationName);
  }
}

/** Codes of errors that are not about a migration, so they are thrown unchanged. */
const NOT_OF_MIGRATIONS: readonly string[] = [
  'ERR_DATABASE_UNAVAILABLE',
  'ERR_DATABASE_READ_ONLY',
  'ERR_DATABASE_FULL',
];

/**
 * Returns whether an error only means that the connection was lost. Kysely then reports a failed rollback in
 * place of the original error.
 */
function isConnectionLost(error: unknown): boolean {
  return error instanceof Error && error.message === 'Postgres connection has been discarded';
}
