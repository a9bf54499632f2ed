import { readFileSync } from 'node:fs';
import type { DatabaseConfig } from '@portolan/kernel';
import pg from 'pg';
import { databaseNotWritable } from '../../errors.ts';

/** Who connects: the role that serves, or the one that changes the schema. */
export type DatabaseRole = 'serving' | 'migrating';

/**
 * Settings of a connection, from an address or from the separate fields. A
 * password that is left out is looked up by the driver in the PostgreSQL
 * password file (PGPASSFILE, else ~/.pgpass).
 */
export function postgresSettings(config: DatabaseConfig, role: DatabaseRole): pg.ClientConfig {
  const base: pg.ClientConfig =
    config.url === undefined
      ? { host: config.host, port: config.port, user: config.user, database: config.database }
      : addressSettings(config.url);
  const migrator = role === 'migrating' ? config.migrationUser : undefined;
  const user = migrator ?? config.user ?? base.user;
  const own = migrator !== undefined && migrator !== (config.user ?? base.user);
  const password = own ? config.migrationPassword : (config.password ?? base.password);
  const ssl = tlsSettings(config, config.url === undefined ? 'require' : undefined);
  return {
    ...base,
    user,
    password: password === undefined || password === '' ? undefined : password,
    ...(ssl === undefined ? {} : { ssl }),
    application_name: 'portolan',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    types: { getTypeParser: parserOf },
  };
}

function addressSettings(url: string): pg.ClientConfig {
  const address = new URL(url);
  const ssl = { require: 'no-verify', prefer: 'no-verify' }[address.searchParams.get('sslmode') ?? ''];
  // The driver reads `require` as a full check; libpq, whose word it is, encrypts and checks nothing.
  if (ssl !== undefined) address.searchParams.set('sslmode', ssl);
  return { connectionString: address.href };
}

function tlsSettings(config: DatabaseConfig, fallback: 'require' | undefined): pg.ClientConfig['ssl'] {
  const mode = config.sslMode ?? fallback;
  const ca = config.caCertPath === undefined ? {} : { ca: readCertificates(config.caCertPath) };
  switch (mode) {
    case undefined:
      return config.caCertPath === undefined ? undefined : ca;
    case 'disable':
      return false;
    case 'require':
      return { rejectUnauthorized: false, ...ca };
    case 'verify-ca':
      // The chain is checked, the host's name is not (libpq's meaning of the word).
      return { rejectUnauthorized: true, checkServerIdentity: () => undefined, ...ca };
    case 'verify-full':
      return { rejectUnauthorized: true, ...ca };
    default:
      return mode;
  }
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw databaseNotWritable(`(CA bundle ${path})`, error);
  }
}

/** Object id of PostgreSQL's type `int8`. */
const INT8 = 20;

/** Eight-byte integers (ids, counts, milliseconds) as numbers: none of ours leaves the safe range. */
const parserOf: pg.CustomTypesConfig['getTypeParser'] = (oid: number, format?: unknown) =>
  // SAFETY: the overloads of the driver's types tell text from binary; both are passed on unchanged.
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
