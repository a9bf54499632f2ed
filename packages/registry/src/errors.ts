import type { DocumentIssue } from '@portolan/entry-format';
import { type EntryType, PortolanError } from '@portolan/plugin-api';

/** The database cannot be reached: down, refused, timed out. Trying again later may help. */
export function databaseUnavailable(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_UNAVAILABLE',
    'unavailable',
    `The database ${where} does not answer: ${textOf(cause)}.`,
    {
      hint: /does not support SSL/i.test(textOf(cause))
        ? 'Set `database.sslMode: disable` where no TLS is wanted on the way to it, or switch TLS on in the database.'
        : 'Check that it runs, that the address is right, and that this machine may connect.',
      publicMessage: 'The registry cannot reach its database at the moment.',
      retryAfterSeconds: 5,
      cause,
    },
  );
}

/** The database answers, but refuses the role, the password or the database's name. */
export function databaseAccessDenied(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_ACCESS',
    'unavailable',
    `The database ${where} refuses: ${textOf(cause)}.`,
    {
      hint: 'Check user, password (or the password file), database name, sslMode, and the rights of the role.',
      cause,
    },
  );
}

/** The file is no SQLite database, or one of another program. Nothing was changed. */
export function databaseForeign(where: string, found: string): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_FOREIGN',
    'conflict',
    `${where} is not a Portolan database: found ${found}.`,
    { hint: 'Name another file or database in `database.url`. This one was left as it is.' },
  );
}

/** The file is a Portolan database that is damaged. Nothing was changed. */
export function databaseCorrupt(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_CORRUPT',
    'fault',
    `The database ${where} is damaged: ${textOf(cause)}.`,
    {
      hint: 'Restore it from a backup, or move it away: synced sources fill a new one. This one was left as it is.',
      cause,
    },
  );
}

/** The data directory or file cannot be created, read or written. */
export function databaseNotWritable(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_NOT_WRITABLE',
    'fault',
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
    'conflict',
    `The database ${where} was removed or replaced while it was in use.`,
    { hint: 'Put the file back, or start Portolan again. Stop it before a database is exchanged.' },
  );
}

/** `database.url` names no engine that exists. */
export function databaseUrlInvalid(found: string): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_URL',
    'mistake',
    `database.url begins with "${found}"; expected sqlite:PATH, sqlite::memory: or postgres://…`,
    { hint: 'For example `sqlite:./registry.db` or `postgres://user@host:5432/database`.' },
  );
}

/** `database.url` begins well, but is no address. It is not shown: it may hold a password. */
export function databaseUrlUnreadable(): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_URL',
    'mistake',
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
    'mistake',
    `The address of the database has sslmode ${JSON.stringify(found)}; expected one of ${known.join(', ')}.`,
    { hint: 'Correct it, or set `database.sslMode`, which wins.' },
  );
}

/** The database shows a certificate that is not trusted, or is of another host. */
export function databaseUntrusted(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_CERTIFICATE',
    'unavailable',
    `The certificate of the database ${where} is not accepted: ${textOf(cause)}.`,
    {
      hint: 'Name the CA that signed it in `database.caCertPath`; `sslMode: verify-ca` accepts any host name.',
      cause,
    },
  );
}

/** No token for IAM of Amazon RDS could be made. */
export function databaseTokenUnavailable(where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_TOKEN',
    'unavailable',
    `No token to log in to the database ${where} could be made: ${textOf(cause)}.`,
    {
      hint: 'Give the process credentials of AWS (variables, files, or a role), and name the region in `database.dynamicAuth.awsRdsIam.region`.',
      cause,
    },
  );
}

/** The file of a CA, a certificate or a key cannot be read. */
export function certificateUnreadable(path: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_DATABASE_CERTIFICATE',
    'unavailable',
    `Cannot read ${path}, which TLS to the database needs: ${textOf(cause)}.`,
    { hint: 'Correct `database.caCertPath` (or sslrootcert, sslcert, sslkey in the address).', cause },
  );
}

/** The database was written by a newer Portolan. */
export function schemaTooNew(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SCHEMA_TOO_NEW',
    'conflict',
    `The database has migrations that this version does not know: ${names.join(', ')}.`,
    { hint: 'Start the newer Portolan, or undo them with its `portolan migrate down`.' },
  );
}

/** Migrations are pending and `database.migrateOnStart` is false. */
export function schemaOutdated(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SCHEMA_OUTDATED',
    'conflict',
    `The database lacks migrations: ${names.join(', ')}.`,
    { hint: 'Run `portolan migrate up`, or set `database.migrateOnStart: true`.' },
  );
}

/** A migration failed; the database is as it was before. */
export function migrationFailed(name: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_MIGRATION_FAILED',
    'fault',
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
    'mistake',
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
    'mistake',
    `The configuration no longer defines source ${names.map((name) => `"${name}"`).join(', ')}, but registry ${registries.map((name) => `"${name}"`).join(', ')} still lists it.`,
    { hint: 'Put the source back, or change the registry through the API first.' },
  );
}

/** Others were writing for so long that this write was given up; nothing was changed. */
export function storeBusy(cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_STORE_BUSY',
    'busy',
    'Others are writing to the registry; nothing was changed.',
    {
      hint: 'Try again in a few seconds. A sync that is being stored holds the changes of its source for a while.',
      retryAfterSeconds: 2,
      cause,
    },
  );
}

/** A source does not exist, or is hidden from the caller: both have this text. */
export function sourceNotFound(name: string): PortolanError {
  return new PortolanError('ERR_SOURCE_NOT_FOUND', 'absent', `There is no source "${name}".`, {
    hint: 'GET /v1/sources lists those you may see.',
  });
}

/** A registry does not exist, or is hidden from the caller: both have this text. */
export function registryNotFound(name: string): PortolanError {
  return new PortolanError('ERR_REGISTRY_NOT_FOUND', 'absent', `There is no registry "${name}".`, {
    hint: 'GET /v1/registries lists those you may see.',
  });
}

/** An entry, or this version of it, does not exist or is hidden from the caller: all have this text. */
export function entryNotFound(type: EntryType, name: string, version?: string): PortolanError {
  const what = version === undefined ? type : `version ${version} of ${type}`;
  return new PortolanError(
    'ERR_ENTRY_NOT_FOUND',
    'absent',
    `There is no ${what} "${name}" that was published here.`,
    { hint: 'Only entries of managed sources can be changed; the others change where their source is kept.' },
  );
}

/** A short name, or a name in several sources, stands for more than one entry. */
export function entryAmbiguous(name: string, candidates: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_ENTRY_AMBIGUOUS',
    'conflict',
    `"${name}" stands for several entries: ${candidates.join(', ')}.`,
    { hint: 'Write the whole name, namespace/name; for a name in several sources add ?source=NAME.' },
  );
}

/** A request gives a resource claims that the caller does not hold. */
export function claimsBeyondCaller(names: readonly string[]): PortolanError {
  return names.length === 0
    ? new PortolanError(
        'ERR_CLAIMS_BEYOND_CALLER',
        'refused',
        'Only a superAdmin may leave a resource without claims.',
        { hint: 'Give it claims that you hold yourself.' },
      )
    : new PortolanError(
        'ERR_CLAIMS_BEYOND_CALLER',
        'refused',
        `The request gives claims that you do not hold, or not with these values: ${names.map((name) => JSON.stringify(name.slice(0, 64))).join(', ')}.`,
        { hint: 'Give only claims that you hold yourself, with every value of a list.' },
      );
}

/** What the configuration file defines is changed there. */
export function madeByFile(what: 'source' | 'registry', name: string): PortolanError {
  return new PortolanError(
    'ERR_MADE_BY_FILE',
    'refused',
    `The ${what} "${name}" comes from the configuration file.`,
    { hint: 'Change it in the file, and start the server again.' },
  );
}

/** Somebody else changed the resource meanwhile, or made it, or it is not there. */
export function revisionChanged(what: string): PortolanError {
  return new PortolanError(
    'ERR_REVISION_CHANGED',
    'conflict',
    `${what} is not as the request expects it to be.`,
    { hint: 'Read it again, and repeat the change with the entity tag of that answer.' },
  );
}

/** What a source is, and where it finds its data, is decided when it is made. */
export function kindChanged(name: string, before: string, after: string): PortolanError {
  return new PortolanError(
    'ERR_KIND_CHANGED',
    'mistake',
    `The source "${name}" is of kind ${before} and cannot become ${after}.`,
    { hint: 'Delete it and make another one, or make one under another name.' },
  );
}

/** A registry still lists a source that is to be deleted. */
export function sourceInUse(name: string, registries: readonly string[]): PortolanError {
  const listed = registries.map((registry) => `"${registry}"`).join(', ');
  return new PortolanError(
    'ERR_SOURCE_IN_USE',
    'conflict',
    `The source "${name}" is listed by ${registries.length === 0 ? 'a registry' : `registry ${listed}`}.`,
    { hint: 'Take it out of the registry first.' },
  );
}

/** A request names sources that do not exist. */
export function sourceUnknown(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNKNOWN',
    'mistake',
    `There is no source ${names.map((name) => `"${name}"`).join(', ')}.`,
    { hint: 'Make the source first, or correct its name.' },
  );
}

/** A request uses sources whose claims the caller does not satisfy. */
export function sourceForbidden(names: readonly string[]): PortolanError {
  const named =
    names.length === 0 ? 'any managed source' : `source ${names.map((name) => `"${name}"`).join(', ')}`;
  return new PortolanError('ERR_SOURCE_FORBIDDEN', 'refused', `Your claims do not let you use ${named}.`, {
    hint: 'Ask whoever runs the registry for the claims it requires.',
  });
}

/** A sync was asked of a source that is filled by publishing. */
export function sourceNotSynced(name: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_NOT_SYNCED',
    'conflict',
    `The source "${name}" is not read from anywhere.`,
    { hint: 'Entries come to it by publishing.' },
  );
}

/** There is nothing to publish to. */
export function noManagedSource(): PortolanError {
  return new PortolanError('ERR_NO_MANAGED_SOURCE', 'conflict', 'There is no managed source to publish to.', {
    hint: 'Add a source with `managed: {}` to the configuration file, or make one through the API.',
  });
}

/** A publish names a source that does not take publications. */
export function sourceNotManaged(name: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_NOT_MANAGED',
    'mistake',
    `Source "${name}" does not take publications.`,
    { hint: 'Publish to a source of kind `managed`.' },
  );
}

/** Several sources take publications, and the request names none. */
export function sourceAmbiguous(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_AMBIGUOUS',
    'mistake',
    `Several sources take publications: ${names.map((name) => `"${name}"`).join(', ')}.`,
    { hint: 'Choose one: POST /v1/entries?source=NAME.' },
  );
}

/** Under full authorization an entry without claims would be seen by nobody. */
export function claimsRequired(): PortolanError {
  return new PortolanError(
    'ERR_CLAIMS_REQUIRED',
    'mistake',
    'A publish needs claims, and they may not be empty.',
    { hint: 'Add "claims" to the body, for example {"org": "acme"}: who holds them sees the entry.' },
  );
}

/** An entry has as many versions as it may have. */
export function tooManyVersions(name: string, most: number): PortolanError {
  return new PortolanError(
    'ERR_TOO_MANY_VERSIONS',
    'conflict',
    `Entry "${name}" has ${most} versions, and may have no more.`,
    { hint: 'Delete old versions first.' },
  );
}

/** A change of status that the kind of entry does not have, or with a text that cannot be taken. */
export function statusInvalid(problem: string): PortolanError {
  return new PortolanError('ERR_STATUS_INVALID', 'mistake', problem, {
    hint: 'Servers are active, deprecated or deleted; skills and plugins also archived. Active ones have no message.',
  });
}

/** A change of status that would leave everything as it is. */
export function statusUnchanged(name: string): PortolanError {
  return new PortolanError(
    'ERR_STATUS_UNCHANGED',
    'mistake',
    `Nothing of "${name}" would change: it has this status and message.`,
    { hint: 'Send another status, or another message.' },
  );
}

/** The place to go on from was not made by the list it was sent to. */
export function cursorInvalid(): PortolanError {
  return new PortolanError('ERR_CURSOR_INVALID', 'mistake', 'The cursor cannot be read.', {
    hint: 'Send metadata.nextCursor of the page before, unchanged, to the same list.',
  });
}

/** Versions are immutable: the version string is taken, by a deleted version as well. */
export function versionExists(name: string, version: string): PortolanError {
  return new PortolanError(
    'ERR_VERSION_EXISTS',
    'conflict',
    `Entry "${name}" already has a version ${version}.`,
    { hint: 'Publish under a new version.' },
  );
}

/** All versions of an entry carry the same claims. */
export function claimsDifferFromFirstVersion(name: string): PortolanError {
  return new PortolanError(
    'ERR_CLAIMS_DIFFER',
    'conflict',
    `Entry "${name}" already has a version with other claims.`,
    { hint: 'Publish with the claims of the first version.' },
  );
}

/** A document to publish breaks the rules; all problems are listed. */
export function documentInvalid(
  problems: readonly string[],
  issues: readonly DocumentIssue[],
): PortolanError & { readonly issues: readonly DocumentIssue[] } {
  const error = new PortolanError(
    'ERR_DOCUMENT_INVALID',
    'mistake',
    `The document has ${problems.length} problem(s): ${problems.join('; ')}.`,
    { hint: 'Correct what is named, and publish again.' },
  );
  return Object.assign(error, { issues });
}

/** A source took longer than it may, or the process is stopping. */
export function syncAborted(source: string): PortolanError {
  return new PortolanError(
    'ERR_SYNC_ABORTED',
    'unavailable',
    `The sync of source "${source}" was stopped before its end.`,
    { hint: 'It starts again with the next interval; the last good data is kept.' },
  );
}

/** Another process took over the source while this one was reading it, or it was changed or deleted. */
export function syncLeaseLost(source: string): PortolanError {
  return new PortolanError(
    'ERR_SYNC_LEASE_LOST',
    'conflict',
    `The sync of source "${source}" was taken over, or the source was changed.`,
    { hint: 'Nothing was changed; whoever took it over, or the next sync, reads the source as it is now.' },
  );
}

/** A source gave something to go on from that cannot be kept. */
export function cursorUnusable(source: string, found: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CURSOR',
    'fault',
    `The source "${source}" yielded ${found} as its cursor.`,
    { hint: 'A cursor is a text of at most 65536 characters. This is a fault of the plugin.' },
  );
}

/** A source gave a scope that cannot be kept, or only to some of its entries. */
export function scopeUnusable(source: string, found: string): PortolanError {
  return new PortolanError('ERR_SOURCE_SCOPE', 'fault', `The source "${source}" yielded ${found}.`, {
    hint: 'A scope is a text of at most 500 characters; when one entry has one, all have. This is a fault of the plugin.',
  });
}

/** A source wants a folder, and the server was started without a place for it. */
export function scratchUnavailable(): PortolanError {
  return new PortolanError(
    'ERR_SCRATCH_UNAVAILABLE',
    'mistake',
    'There is no folder for what sources keep.',
    {
      hint: 'Set scratch.directory in the configuration.',
    },
  );
}

/** The folder of a source cannot be made or emptied. */
export function scratchUnusable(source: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SCRATCH_UNUSABLE',
    'fault',
    `The folder that the source "${source}" keeps its data in cannot be used.`,
    {
      hint: 'The log says why. See that the user that runs Portolan can write to scratch.directory, and that there is room.',
      cause,
    },
  );
}

/** Another process on this machine has the folder of a source. */
export function scratchBusy(source: string): PortolanError {
  return new PortolanError(
    'ERR_SCRATCH_BUSY',
    'busy',
    `Another process still has the folder that the source "${source}" keeps its data in.`,
    { hint: 'It is tried again. A process that hangs keeps it until it ends.' },
  );
}

function textOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return textOf(cause.errors[0]);
  return cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause);
}
