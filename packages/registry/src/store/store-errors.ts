import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an unreachable database: down, refused or timed out. A retry may help. */
export function databaseUnavailable(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_UNAVAILABLE',
    'unavailable',
    `The database ${where} does not respond: ${textOf(cause)}.`,
    {
      hint: /does not support SSL/i.test(textOf(cause))
        ? 'Set `database.sslMode: disable` if the connection needs no TLS, or turn on TLS in the database.'
        : 'Check that the database runs, that the address is right, and that this host may connect.',
      publicMessage: 'The registry cannot reach its database.',
      retryAfterSeconds: 5,
      cause,
    },
  );
}

/** Creates the error for a database that rejects the role, the password or the database's name. */
export function databaseAccessDenied(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_ACCESS',
    'unavailable',
    `The database ${where} refuses the connection: ${textOf(cause)}.`,
    {
      hint: 'Check user, password (or the password file), database name, sslMode, and the rights of the role.',
      cause,
    },
  );
}

/** Creates the error for a full disk of the database. Reads still succeed. */
export function databaseFull(where: string, engine: 'sqlite' | 'postgres', cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_FULL',
    'unavailable',
    `The disk of the database ${where} is full: ${textOf(cause)}.`,
    {
      hint:
        engine === 'sqlite'
          ? 'Free space on the disk of the file, or move the database to a larger disk.'
          : 'Free space on the disk of the PostgreSQL server, or enlarge it.',
      publicMessage: 'The disk of the registry database is full: it can be read, and nothing can be changed.',
      retryAfterSeconds: 30,
      cause,
    },
  );
}

/** Creates the error for a restore into a database that a process has open. The database is unchanged. */
export function databaseInUse(where: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_DATABASE_IN_USE', 'conflict', `A process has the database ${where} open.`, {
    hint: 'Stop the registry server, and restore again.',
    cause,
  });
}

/**
 * Creates the error for a file that is not a SQLite database, or belongs to another program. The file is
 * unchanged.
 */
export function databaseForeign(where: string, actual: string): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_FOREIGN',
    'conflict',
    `${where} is not a Portolan database: found ${actual}.`,
    { hint: 'Name another file or database in `database.url`. This one is unchanged.' },
  );
}

/** Creates the error for a damaged Portolan database. The file is unchanged. */
export function databaseCorrupt(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_CORRUPT',
    'fault',
    `The database ${where} is damaged: ${textOf(cause)}.`,
    {
      hint: 'Restore the database from a backup, or move it away: synced sources fill a new one. The file is unchanged.',
      cause,
    },
  );
}

/** Creates the error for a data directory or file that cannot be created, read or written. */
export function databaseNotWritable(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_NOT_WRITABLE',
    'fault',
    `Cannot write the database ${where}: ${textOf(cause)}.`,
    {
      hint: 'Give the user of the Portolan process write access to the folder, or name another folder in `database.url`.',
      cause,
    },
  );
}

/**
 * Creates the error for a read-only PostgreSQL server, such as a standby or a former primary after a
 * failover.
 */
export function databaseReadOnly(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_READ_ONLY',
    'unavailable',
    `The database ${where} is read-only: ${textOf(cause)}.`,
    {
      hint: 'Point `database.url` to the primary: the database is a standby, such as after a failover, or set to read-only. No restart is needed: writes connect to the new primary.',
      publicMessage: 'The database of the registry is read-only.',
      retryAfterSeconds: 5,
      cause,
    },
  );
}

/**
 * Creates the error for a SQLite file that was removed or replaced while open. Nothing is written to either
 * file.
 */
export function databaseReplaced(where: string): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_REPLACED',
    'conflict',
    `The database file ${where} was removed or replaced during use.`,
    { hint: 'Restore the file, or restart Portolan. Stop Portolan before you replace a database.' },
  );
}

/** Creates the error for an unknown engine in `database.url`. */
export function databaseUrlInvalid(actual: string): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_URL',
    'mistake',
    `database.url begins with "${actual}"; expected sqlite:PATH, sqlite::memory: or postgres://…`,
    { hint: 'Write `sqlite:./registry.db` or `postgres://user@host:5432/database`.' },
  );
}

/**
 * Creates the error for an unparsable `database.url`. The message omits the address, because it may contain a
 * password.
 */
export function databaseUrlUnreadable(): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_URL',
    'mistake',
    'database.url is not a valid address (hidden, because it may contain a password).',
    {
      hint: 'Write postgres://user:password@host:port/database, and percent-encode special characters.',
    },
  );
}

/** Creates the error for an unknown `sslmode` in the address. */
export function databaseTlsModeUnknown(actual: string, known: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_URL',
    'mistake',
    `The database address has sslmode ${JSON.stringify(actual)}; expected one of ${known.join(', ')}.`,
    { hint: 'Correct sslmode, or set `database.sslMode`, which overrides it.' },
  );
}

/** Creates the error for an untrusted certificate, or one for another host. */
export function databaseUntrusted(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_ACCESS',
    'unavailable',
    `The certificate of the database ${where} is not trusted: ${textOf(cause)}.`,
    {
      hint: 'Name the CA that signed it in `database.caCertPath`; `sslMode: verify-ca` accepts any host name.',
      cause,
    },
  );
}

/** Creates the error for a failed IAM token of Amazon RDS. */
export function databaseTokenUnavailable(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_ACCESS',
    'unavailable',
    `Cannot create a login token for the database ${where}: ${textOf(cause)}.`,
    {
      hint: 'Give the process AWS credentials (variables, files, or a role), and set the region in `database.dynamicAuth.awsRdsIam.region`.',
      cause,
    },
  );
}

/** Creates the error for an unreadable file of a CA, a certificate or a key. */
export function certificateUnreadable(path: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_ACCESS',
    'unavailable',
    `Cannot read ${path} for TLS to the database: ${textOf(cause)}.`,
    { hint: 'Correct `database.caCertPath` (or sslrootcert, sslcert, sslkey in the address).', cause },
  );
}

/** Creates the error for a database that a newer Portolan has written. */
export function schemaTooNew(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SCHEMA_TOO_NEW',
    'conflict',
    `The database has unknown migrations of a newer version: ${names.join(', ')}.`,
    { hint: 'Start the newer Portolan, or revert them with its `portolan migrate down`.' },
  );
}

/** Creates the error for pending migrations while `database.migrateOnStart` is false. */
export function schemaOutdated(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SCHEMA_OUTDATED',
    'conflict',
    `The database lacks migrations: ${names.join(', ')}.`,
    { hint: 'Run `portolan migrate up`, or set `database.migrateOnStart: true`.' },
  );
}

/** Creates the error for a failed migration. The database is unchanged. */
export function migrationFailed(name: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_MIGRATION_FAILED',
    'fault',
    `Migration ${name} failed and was rolled back: ${textOf(cause)}.`,
    {
      hint: 'On PostgreSQL, grant the role CREATE on the schema and the database (for the extension pg_trgm).',
      cause,
    },
  );
}

/** Creates the error for a write that waited too long for other writes. Nothing was changed. */
export function storeBusy(cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_STORE_BUSY',
    'busy',
    'The registry is busy with other writes; nothing was changed.',
    {
      hint: 'Retry in a few seconds. While a sync is stored, it blocks changes of its source.',
      retryAfterSeconds: 2,
      cause,
    },
  );
}

/**
 * Creates the error for a sync that lost its lease: another process acquired it, or the source was changed or
 * deleted.
 */
export function syncLeaseLost(source: string): PortolanError {
  return new PortolanError(
    'ERR_SYNC_LEASE_LOST',
    'conflict',
    `Another process took over the sync of source "${source}", or the source changed.`,
    { hint: 'Wait for the next sync, which reads the current source. Nothing was changed.' },
  );
}

function textOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return textOf(cause.errors[0]);
  return cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause);
}
