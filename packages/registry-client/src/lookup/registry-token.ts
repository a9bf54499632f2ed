import { open } from 'node:fs/promises';
import path from 'node:path';
import { textOf } from '@portolan/run-spec';
import { liesBelow } from '@portolan/outbound';
import { registryAddressUnusable, registryTokenUnusable } from './lookup-errors.ts';
import type { LookupContext } from './lookup-context.ts';
import { readAccessToken, TOKEN_VARIABLE, tokenOfEnvironment } from '../connection/access-token.ts';
import { accessWith, type RegistryAccess } from '../connection/registry-access.ts';
import { isThisMachine } from '../connection/read-address.ts';

export const TOKEN_FILE = 'PORTOLAN_REGISTRY_TOKEN_FILE';

/** What tells as whom a registry is asked. */
export type AccessPlace = Pick<LookupContext, 'environment' | 'workingDirectory' | 'findLogin'>;

/**
 * As whom a registry is asked: with the token in the file that
 * PORTOLAN_REGISTRY_TOKEN_FILE names, else with PORTOLAN_TOKEN where the registry
 * is one of the server that PORTOLAN_URL names, else as whoever has logged in.
 * Throws ERR_LOOKUP_TOKEN where one of the first two is no token (RFC 6750,
 * section 2.1), ERR_LOOKUP_ADDRESS for a registry to which it would be sent in
 * clear, and what looking for a login throws. No token stands in a message.
 */
export async function findRegistryAccess(registry: URL, place: AccessPlace): Promise<RegistryAccess> {
  const named = (await readTokenFile(registry, place)) ?? readTokenVariable(registry, place);
  if (named !== undefined) return accessWith(named);
  return (await place.findLogin?.(registry)) ?? accessWith(undefined);
}

async function readTokenFile(
  registry: URL,
  { environment, workingDirectory }: AccessPlace,
): Promise<string | undefined> {
  const named = environment[TOKEN_FILE];
  if (named === undefined || named === '') return undefined;
  refuseInClear(registry, TOKEN_FILE);
  const file = path.resolve(workingDirectory, named);
  return await readAccessToken({
    read: (mostBytes) => readStart(file, mostBytes),
    unusable: (because) => registryTokenUnusable(file, because),
  });
}

/** A token without an address is for the server that is named beside it, and for no other. */
function readTokenVariable(registry: URL, { environment }: AccessPlace): string | undefined {
  const server = URL.parse(environment['PORTOLAN_URL'] ?? '');
  if (server === null || !liesBelow(registry, server)) return undefined;
  const token = tokenOfEnvironment(environment, (because) => registryTokenUnusable(TOKEN_VARIABLE, because));
  if (token !== undefined) refuseInClear(registry, TOKEN_VARIABLE);
  return token;
}

function refuseInClear(registry: URL, variable: string): void {
  if (registry.protocol === 'https:' || isThisMachine(registry)) return;
  const hint = `Use https, or take ${variable} out of the environment.`;
  throw registryAddressUnusable(registry.origin, 'the access token could be read on its way', hint);
}

async function readStart(file: string, mostBytes: number): Promise<Buffer | undefined> {
  try {
    const handle = await open(file);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(mostBytes + 1), 0, mostBytes + 1, 0);
      return bytesRead > mostBytes ? undefined : buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw registryTokenUnusable(file, textOf(error), error);
  }
}
