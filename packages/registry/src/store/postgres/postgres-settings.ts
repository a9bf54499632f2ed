import { readSmallFileSync } from '@portolan/plugin-api';
import type { DatabaseConfig } from '@portolan/kernel';
import pg from 'pg';
import type { TokensFor } from './rds-tokens.ts';
import { certificateUnreadable, databaseTlsModeUnknown, databaseUrlUnreadable } from '../store-errors.ts';

/** Role of a connection: the one that serves requests, or the one that changes the schema. */
export type DatabaseRole = 'serving' | 'migrating';

/**
 * Separate fields (`sslMode`, `password`, `migrationUser`) override the address. Without a password, the
 * driver reads PGPASSFILE. With `tokens`, each connection requests one instead. Throws ERR_DATABASE_URL and
 * ERR_DATABASE_ACCESS.
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
    // TCP keep-alive after ten seconds. Linux waits two hours by default, during which a statement to a lost
    // host would hang.
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

/**
 * Returns a part of the address. A parameter in the query string takes precedence, as in the driver. An empty
 * value counts as absent.
 */
function partOf(address: URL | undefined, name: string, part: 'username' | 'password'): string | undefined {
  if (address === undefined) return undefined;
  try {
    return address.searchParams.get(name) || decodeURIComponent(address[part]) || undefined;
  } catch {
    throw databaseUrlUnreadable(); // the cause contains the address, which may contain a password
  }
}

/**
 * Adds a login to the address, because the driver prefers the address to separate fields, and its query
 * string to both.
 */
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

/** TLS modes by libpq's names. `prefer` cannot fall back to a connection without TLS. */
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
  const inputs = Object.entries(files).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, path] as const],
  );
  if (mode === 'disable' || (mode === undefined && inputs.length === 0))
    return mode === undefined ? undefined : false;
  return {
    ...Object.fromEntries(inputs.map(([name, path]) => [name, readCertificate(path)])),
    // `require` encrypts without verification, as in libpq.
    rejectUnauthorized: mode !== 'require',
    // Verifies the chain but not the host name.
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
  // Node.js interprets an empty authority as its default authorities.
  if (text.trim() === '') throw certificateUnreadable(path, new Error('it is empty'));
  return text;
}

const INT8 = 20;

/** Parses 64-bit integers as numbers, because ids, counts and milliseconds are safe integers. */
const parserOf: pg.CustomTypesConfig['getTypeParser'] = (oid: number, format?: unknown) =>
  // SAFETY: the overloads distinguish text from binary; both pass through unchanged.
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
