import { open } from 'node:fs/promises';
import path from 'node:path';
import { textOf } from '@portolan/run-spec';
import { isSubpath } from '@portolan/outbound';
import { registryAddressUnusable, registryTokenUnusable } from './lookup-errors.ts';
import type { LookupContext } from './lookup-context.ts';
import { readAccessToken, TOKEN_VARIABLE, tokenOfEnvironment } from '../connection/access-token.ts';
import { accessWith, type RegistryAccess } from '../connection/registry-access.ts';
import { isThisMachine } from '../connection/read-address.ts';

export const TOKEN_FILE = 'PORTOLAN_REGISTRY_TOKEN_FILE';
export const SERVER_TOKEN_FILE = 'PORTOLAN_TOKEN_FILE';

export type AccessLocation = Pick<LookupContext, 'environment' | 'workingDirectory' | 'findLogin'>;

/**
 * Returns the first of the tokens in the files of PORTOLAN_REGISTRY_TOKEN_FILE and PORTOLAN_TOKEN_FILE,
 * in PORTOLAN_TOKEN, and of the login. PORTOLAN_TOKEN_FILE and PORTOLAN_TOKEN apply only to the server in PORTOLAN_URL. Throws
 * ERR_NAMED_FILE for an invalid token (RFC 6750, section 2.1), ERR_LOOKUP_ADDRESS for a registry without
 * encryption, and errors of finding a login. No message contains a token.
 */
export async function findRegistryAccess(registry: URL, place: AccessLocation): Promise<RegistryAccess> {
  const named =
    (await readTokenFile(TOKEN_FILE, registry, place)) ??
    (isOfNamedServer(registry, place)
      ? await readTokenFile(SERVER_TOKEN_FILE, registry, place)
      : undefined) ??
    readTokenVariable(registry, place);
  if (named !== undefined) return accessWith(named);
  return (await place.findLogin?.(registry)) ?? accessWith(undefined);
}

async function readTokenFile(
  variable: string,
  registry: URL,
  { environment, workingDirectory }: AccessLocation,
): Promise<string | undefined> {
  const named = environment[variable];
  if (named === undefined || named === '') return undefined;
  refuseInClear(registry, variable);
  const file = path.resolve(workingDirectory, named);
  return await readAccessToken({
    read: (maxBytes) => readStart(file, maxBytes),
    unusable: (because) => registryTokenUnusable(file, because),
  });
}

/** Returns the token in PORTOLAN_TOKEN if the registry belongs to the server in PORTOLAN_URL. */
function readTokenVariable(
  registry: URL,
  { environment }: Pick<AccessLocation, 'environment'>,
): string | undefined {
  if (!isOfNamedServer(registry, { environment })) return undefined;
  const token = tokenOfEnvironment(environment, (because) => registryTokenUnusable(TOKEN_VARIABLE, because));
  if (token !== undefined) refuseInClear(registry, TOKEN_VARIABLE);
  return token;
}

function isOfNamedServer(registry: URL, { environment }: Pick<AccessLocation, 'environment'>): boolean {
  const server = URL.parse(environment['PORTOLAN_URL'] ?? '');
  return server !== null && isSubpath(registry, server);
}

function refuseInClear(registry: URL, variable: string): void {
  if (registry.protocol === 'https:' || isThisMachine(registry)) return;
  const hint = `Use https, or take ${variable} out of the environment.`;
  throw registryAddressUnusable(registry.origin, 'the access token could be read on its way', hint);
}

async function readStart(file: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    const handle = await open(file);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
      return bytesRead > maxBytes ? undefined : buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw registryTokenUnusable(file, textOf(error), error);
  }
}
