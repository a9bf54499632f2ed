import { readSmallFileSync } from '@portolan/plugin-api';
import type { DatabaseConfig } from '@portolan/kernel';
import pg from 'pg';
import type { TokensFor } from './rds-tokens.ts';
import { certificateUnreadable, databaseTlsModeUnknown, databaseUrlUnreadable } from '../store-errors.ts';

/** Who connects: the role that serves, or the one that changes the schema. */
export type DatabaseRole = 'serving' | 'migrating';

/**
 * Settings of a connection, from an address or from the separate fields. What
 * stands beside an address (`sslMode`, `password`, `migrationUser`) wins over
 * what stands in it. A password that is left out is looked up by the driver in
 * the PostgreSQL password file (PGPASSFILE, else ~/.pgpass); with `tokens`, each
 * connection asks for one instead. Throws
 * ERR_DATABASE_URL for an address that cannot be read, ERR_DATABASE_CERTIFICATE
 * for a certificate file.
 */
export function postgresSettings(
  config: DatabaseConfig,
  role: DatabaseRole,
  tokens?: TokensFor,
): pg.ClientConfig {
  const address = config.url === undefined ? undefined : readAddress(config.url);
  const login = loginOf(config, address, role);
  const ssl = tlsSettings(config, address);
  return {
    ...(address === undefined
      ? { host: config.host, port: config.port, database: config.database, ...withToken(login, tokens) }
      : { connectionString: addressWith(address, login) }),
    ...(ssl === undefined ? {} : { ssl }),
    application_name: 'portolan',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    // The default of Linux is two hours: so long would a statement wait for a host that is gone.
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: parserOf },
  };
}

function withToken(login: Login, tokens: TokensFor | undefined): pg.ClientConfig {
  return tokens === undefined || login.user === undefined
    ? login
    : { ...login, password: tokens(login.user) };
}

interface Login {
  readonly user: string | undefined;
  readonly password: string | undefined;
}

function loginOf(config: DatabaseConfig, address: URL | undefined, role: DatabaseRole): Login {
  const user = config.user ?? partOf(address, 'user', 'username');
  const password = config.password ?? partOf(address, 'password', 'password');
  const { migrationUser = user, migrationPassword } = config;
  if (role === 'serving') return { user, password };
  return {
    user: migrationUser,
    password: migrationPassword ?? (migrationUser === user ? password : undefined),
  };
}

function readAddress(url: string): URL {
  const address = URL.parse(url);
  if (address === null) throw databaseUrlUnreadable();
  return address;
}

/** A part of an address; its query wins, as the driver reads it. An empty part is none. */
function partOf(address: URL | undefined, name: string, part: 'username' | 'password'): string | undefined {
  if (address === undefined) return undefined;
  try {
    return address.searchParams.get(name) || decodeURIComponent(address[part]) || undefined;
  } catch {
    throw databaseUrlUnreadable(); // the cause holds the address, and so a password
  }
}

/** The driver takes what stands in an address before all else, its query first, so what wins has to be written there. */
function addressWith(address: URL, login: Login): string {
  const written = new URL(address);
  written.username = '';
  written.password = '';
  for (const name of ['ssl', ...TLS_PARAMETERS]) written.searchParams.delete(name);
  for (const [name, value] of Object.entries(login)) {
    if (value === undefined) written.searchParams.delete(name);
    else written.searchParams.set(name, value);
  }
  return written.href;
}

const TLS_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'] as const;

/** The modes of libpq, by its words; `prefer` cannot fall back to a connection without TLS. */
const TLS_MODES: Readonly<Record<string, NonNullable<DatabaseConfig['sslMode']>>> = {
  disable: 'disable',
  allow: 'disable',
  prefer: 'require',
  require: 'require',
  'no-verify': 'require',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
};

function tlsSettings(config: DatabaseConfig, address: URL | undefined): pg.ClientConfig['ssl'] {
  const parameter = (name: (typeof TLS_PARAMETERS)[number]) => address?.searchParams.get(name) ?? undefined;
  const mode = config.sslMode ?? modeOf(parameter('sslmode'), address);
  const files = {
    ca: config.caCertPath ?? parameter('sslrootcert'),
    cert: parameter('sslcert'),
    key: parameter('sslkey'),
  };
  const given = Object.entries(files).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, path] as const],
  );
  if (mode === 'disable' || (mode === undefined && given.length === 0))
    return mode === undefined ? undefined : false;
  return {
    ...Object.fromEntries(given.map(([name, path]) => [name, readCertificate(path)])),
    // `require` encrypts and checks nothing, as libpq has it.
    rejectUnauthorized: mode !== 'require',
    // The chain is checked, the host's name is not (libpq's meaning of the word).
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  };
}

function modeOf(word: string | undefined, address: URL | undefined): DatabaseConfig['sslMode'] {
  if (word === undefined) return address === undefined ? 'require' : undefined;
  const mode = Object.hasOwn(TLS_MODES, word) ? TLS_MODES[word] : undefined;
  if (mode === undefined) throw databaseTlsModeUnknown(word, Object.keys(TLS_MODES));
  return mode;
}

function readCertificate(path: string): string {
  let text: string;
  try {
    text = readSmallFileSync(path);
  } catch (error) {
    throw certificateUnreadable(path, error);
  }
  // Node.js takes an authority that is empty for all that it knows.
  if (text.trim() === '') throw certificateUnreadable(path, new Error('it is empty'));
  return text;
}

/** Object id of PostgreSQL's type `int8`. */
const INT8 = 20;

/** Eight-byte integers (ids, counts, milliseconds) as numbers: none of ours leaves the safe range. */
const parserOf: pg.CustomTypesConfig['getTypeParser'] = (oid: number, format?: unknown) =>
  // SAFETY: the overloads of the driver's types tell text from binary; both are passed on unchanged.
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
