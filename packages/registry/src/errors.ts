import { PortolanError } from '@portolan/plugin-api';

/** The database cannot be reached: down, refused, timed out. Trying again later may help. */
export function databaseUnavailable(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_UNAVAILABLE',
    `The database ${where} does not answer: ${textOf(cause)}.`,
    {
      hint: 'Check that it runs, that the address is right, and that this machine may connect.',
      cause,
    },
  );
}

/** The database answers, but refuses the role, the password or the database's name. */
export function databaseAccessDenied(where: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_DATABASE_ACCESS', `The database ${where} refuses: ${textOf(cause)}.`, {
    hint: 'Check user, password (or the password file), database name, sslMode, and the rights of the role.',
    cause,
  });
}

/** The file is no SQLite database, or one of another program. Nothing was changed. */
export function databaseForeign(where: string, found: string): PortolanError {
  return new PortolanError('ERR_DATABASE_FOREIGN', `${where} is not a Portolan database: found ${found}.`, {
    hint: 'Name another file or database in `database.url`. This one was left as it is.',
  });
}

/** The file is a Portolan database that is damaged. Nothing was changed. */
export function databaseCorrupt(where: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_DATABASE_CORRUPT', `The database ${where} is damaged: ${textOf(cause)}.`, {
    hint: 'Restore it from a backup, or move it away: synced sources fill a new one. This one was left as it is.',
    cause,
  });
}

/** The data directory or file cannot be created, read or written. */
export function databaseNotWritable(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_NOT_WRITABLE',
    `Cannot write the database ${where}: ${textOf(cause)}.`,
    {
      hint: 'Give the user that runs Portolan write access to the folder, or name another one in `database.url`.',
      cause,
    },
  );
}

/** The SQLite file was removed or replaced while it was open: nothing is written, into neither. */
export function databaseReplaced(where: string): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_REPLACED',
    `The database ${where} was removed or replaced while it was in use.`,
    { hint: 'Put the file back, or start Portolan again. Stop it before a database is exchanged.' },
  );
}

/** `database.url` names no engine that exists. */
export function databaseUrlInvalid(found: string): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_URL',
    `database.url begins with "${found}"; expected sqlite:PATH, sqlite::memory: or postgres://…`,
    { hint: 'For example `sqlite:./registry.db` or `postgres://user@host:5432/database`.' },
  );
}

/** `database.url` begins well, but is no address. It is not shown: it may hold a password. */
export function databaseUrlUnreadable(): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_URL',
    'database.url is no address that can be read; it is not shown.',
    {
      hint: 'Write postgres://user:password@host:port/database, and percent-encode what is special in a part.',
    },
  );
}

/** `sslmode` in the address is a word that nobody knows. */
export function databaseTlsModeUnknown(found: string, known: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_URL',
    `The address of the database has sslmode ${JSON.stringify(found)}; expected one of ${known.join(', ')}.`,
    { hint: 'Correct it, or set `database.sslMode`, which wins.' },
  );
}

/** The database shows a certificate that is not trusted, or is of another host. */
export function databaseUntrusted(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_CERTIFICATE',
    `The certificate of the database ${where} is not accepted: ${textOf(cause)}.`,
    {
      hint: 'Name the CA that signed it in `database.caCertPath`; `sslMode: verify-ca` accepts any host name.',
      cause,
    },
  );
}

/** The file of a CA, a certificate or a key cannot be read. */
export function certificateUnreadable(path: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_CERTIFICATE',
    `Cannot read ${path}, which TLS to the database needs: ${textOf(cause)}.`,
    { hint: 'Correct `database.caCertPath` (or sslrootcert, sslcert, sslkey in the address).', cause },
  );
}

/** The database was written by a newer Portolan. */
export function schemaTooNew(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SCHEMA_TOO_NEW',
    `The database has migrations that this version does not know: ${names.join(', ')}.`,
    { hint: 'Start the newer Portolan, or undo them with its `portolan migrate down`.' },
  );
}

/** Migrations are pending and `database.migrateOnStart` is false. */
export function schemaOutdated(names: readonly string[]): PortolanError {
  return new PortolanError('ERR_SCHEMA_OUTDATED', `The database lacks migrations: ${names.join(', ')}.`, {
    hint: 'Run `portolan migrate up`, or set `database.migrateOnStart: true`.',
  });
}

/** A migration failed; the database is as it was before. */
export function migrationFailed(name: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_MIGRATION_FAILED',
    `Migration ${name} failed and was undone: ${textOf(cause)}.`,
    {
      hint: 'On PostgreSQL the role needs CREATE on the schema and database (for the extension pg_trgm).',
      cause,
    },
  );
}

/** A source or registry of the file has the name of one that was made through the API. */
export function nameTakenByApi(what: 'source' | 'registry', names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_NAME_TAKEN',
    `The configuration defines ${what} ${names.map((name) => `"${name}"`).join(', ')}, which already exists, made through the API.`,
    { hint: 'Rename it in the file, or delete the other one through the API first.' },
  );
}

/** A source was taken out of the file while a registry made through the API still lists it. */
export function sourceStillReferenced(
  names: readonly string[],
  registries: readonly string[],
): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REFERENCED',
    `The configuration no longer defines source ${names.map((name) => `"${name}"`).join(', ')}, but registry ${registries.map((name) => `"${name}"`).join(', ')} still lists it.`,
    { hint: 'Put the source back, or change the registry through the API first.' },
  );
}

/** A publish names a source that is not there, or does not take publications. */
export function sourceNotManaged(name: string): PortolanError {
  return new PortolanError('ERR_SOURCE_NOT_MANAGED', `Source "${name}" does not take publications.`, {
    hint: 'Publish to a source of kind `managed`.',
  });
}

/** Versions are immutable: the version string is taken, by a deleted version as well. */
export function versionExists(name: string, version: string): PortolanError {
  return new PortolanError('ERR_VERSION_EXISTS', `Entry "${name}" already has a version ${version}.`, {
    hint: 'Publish under a new version.',
  });
}

/** All versions of an entry carry the same claims. */
export function claimsDifferFromFirstVersion(name: string): PortolanError {
  return new PortolanError('ERR_CLAIMS_DIFFER', `Entry "${name}" already has a version with other claims.`, {
    hint: 'Publish with the claims of the first version.',
  });
}

/** A document to publish breaks the rules; all problems are listed. */
export function documentInvalid(problems: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_DOCUMENT_INVALID',
    `The document has ${problems.length} problem(s): ${problems.join('; ')}.`,
    {
      hint: 'Correct what is named, and publish again.',
    },
  );
}

/** A source took longer than it may, or the process is stopping. */
export function syncAborted(source: string): PortolanError {
  return new PortolanError('ERR_SYNC_ABORTED', `The sync of source "${source}" was stopped before its end.`, {
    hint: 'It starts again with the next interval; the last good data is kept.',
  });
}

/** Another process took over the source while this one was reading it. */
export function syncLeaseLost(source: string): PortolanError {
  return new PortolanError(
    'ERR_SYNC_LEASE_LOST',
    `Another process took over the sync of source "${source}".`,
    {
      hint: 'Nothing was changed; the other process finishes the sync.',
    },
  );
}

function textOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return textOf(cause.errors[0]);
  return cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause);
}
