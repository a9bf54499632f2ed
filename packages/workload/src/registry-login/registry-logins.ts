import { createHash } from 'node:crypto';
import path from 'node:path';
import type { TokenChoice } from '@portolan/oauth-client';
import { isSubpath } from '@portolan/outbound';
import { isThisMachine } from '@portolan/registry-client';
import { objectsIn, readJson, textMember, textsIn } from '@portolan/run-spec';
import type { Directories } from '../state/directories.ts';
import { withLock } from '../state/file-lock.ts';
import { stateDamaged } from './registry-login-errors.ts';
import { readText, removeFile } from '../state/state-files.ts';
import { backupOf, emptyFault } from '../state/user-config/change-file.ts';
import { writeAtomically } from '../state/write-atomically.ts';

/** Login to a registry without its secrets. */
export interface RegistryLogin {
  readonly id: string;
  /** Address of the registry. Requests to this address and to all paths below it carry the token. */
  readonly address: string;
  /** Resource indicator for which the tokens are issued (RFC 8707). */
  readonly resource: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Kind of token that the registry accepts. */
  readonly token: TokenChoice;
  /** Data for managing the registered client (RFC 7592); undefined for a client that the user named. */
  readonly registration: RegistrationNote | undefined;
  readonly scopes: readonly string[];
  /** User according to the issuer, if known. */
  readonly subject: string | undefined;
}

export interface RegistrationNote {
  readonly url: string | undefined;
  readonly authMethod: string | undefined;
  readonly callbackPort: number | undefined;
  readonly secretExpiresAt: string | undefined;
}

type Folders = Pick<Directories, 'statuses'>;

/**
 * Returns all logins of this user. Throws ERR_STATE_INACCESSIBLE, and ERR_STATE_DAMAGED for an invalid file.
 */
export async function listRegistryLogins(folders: Folders): Promise<readonly RegistryLogin[]> {
  const file = fileOf(folders);
  const text = await readText(file);
  if (text === undefined) return [];
  if (text === '') throw stateDamaged(file, emptyFault(file));
  const reading = readJson(text);
  if ('fault' in reading) throw stateDamaged(file);
  return objectsIn(reading.value, 'logins').flatMap((item) => loginIn(item) ?? []);
}

/**
 * Returns the login that applies to an address: the login whose own address is the longest path above the
 * given one. Throws as `listRegistryLogins`.
 */
export async function findRegistryLogin(address: URL, folders: Folders): Promise<RegistryLogin | undefined> {
  if (address.protocol !== 'https:' && !isThisMachine(address)) return undefined;
  const logins = await listRegistryLogins(folders);
  return logins
    .filter((login) => isSubpath(address, new URL(login.address)))
    .toSorted((one, other) => other.address.length - one.address.length)[0];
}

/**
 * Stores a login for an address, in place of an earlier login. Removes the login for the address if `login`
 * is undefined. Throws as `listRegistryLogins`, and ERR_STATE_BUSY.
 */
export async function rememberRegistryLogin(
  address: string,
  login: RegistryLogin | undefined,
  folders: Folders,
  signal: AbortSignal,
): Promise<void> {
  const file = fileOf(folders);
  const change = async (): Promise<void> => {
    const others = (await listRegistryLogins(folders)).filter((known) => known.address !== address);
    const logins = login === undefined ? others : [...others, login];
    if (logins.length === 0) {
      await removeFile(file);
      await removeFile(backupOf(file));
    } else {
      const before = await readText(file);
      if (before !== undefined) await writeAtomically(backupOf(file), before);
      await writeAtomically(file, `${JSON.stringify({ logins }, null, 2)}\n`);
    }
  };
  await withLock(`${file}.lock`, change, { signal });
}

/**
 * Runs an action while holding the lock for the login to an address, so that only one process renews the
 * tokens.
 */
export async function withLoginLock<Result>(
  address: string,
  folders: Folders,
  action: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const folder = path.join(path.dirname(folders.statuses), `registry-login-${keyOf(address)}.lock`);
  return await withLock(folder, action, {
    timeoutMs: RENEWAL_MS,
    ...(signal === undefined ? {} : { signal }),
  });
}

const RENEWAL_MS = 60_000;

export function keyOf(address: string): string {
  return createHash('sha256').update(address).digest('hex').slice(0, 16);
}

function fileOf({ statuses }: Folders): string {
  return path.join(path.dirname(statuses), 'registry-logins.json');
}

/**
 * Parses a stored login. Returns undefined for an incomplete login, so that no token goes to a wrong address.
 */
function loginIn(item: object): RegistryLogin | undefined {
  const text = (key: string): string | undefined => textMember(item, key);
  const [id, address, resource] = [text('id'), text('address'), text('resource')];
  const [issuer, clientId] = [text('issuer'), text('clientId')];
  if (id === undefined || address === undefined || resource === undefined) return undefined;
  if (issuer === undefined || clientId === undefined || !URL.canParse(address)) return undefined;
  const scopes = textsIn(item, 'scopes');
  const registration = registrationIn(item);
  const token = text('token') === 'id_token' ? 'id_token' : 'access_token';
  const subject = text('subject');
  return { id, address, resource, issuer, clientId, token, registration, scopes, subject };
}

function registrationIn(item: object): RegistrationNote | undefined {
  const note: unknown = Object.entries(item).find(([key]) => key === 'registration')?.[1];
  if (typeof note !== 'object' || note === null) return undefined;
  const port: unknown = Object.entries(note).find(([key]) => key === 'callbackPort')?.[1];
  return {
    url: textMember(note, 'url'),
    authMethod: textMember(note, 'authMethod'),
    callbackPort: typeof port === 'number' ? port : undefined,
    secretExpiresAt: textMember(note, 'secretExpiresAt'),
  };
}
