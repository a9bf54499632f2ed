import { open } from 'node:fs/promises';
import path from 'node:path';
import { textOf } from '@portolan/run-spec';
import { registryAddressUnusable, registryTokenUnusable } from './lookup-errors.ts';
import { readAccessToken } from '../connection/access-token.ts';
import { isThisMachine } from '../connection/read-address.ts';

export const TOKEN_FILE = 'PORTOLAN_REGISTRY_TOKEN_FILE';

/** Where the name of the file stands, and where a relative one begins. */
export interface TokenPlace {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
}

/**
 * The access token for the registry, from the file that the environment names;
 * undefined when it names none. Throws ERR_LOOKUP_TOKEN when the file holds no
 * token (RFC 6750, section 2.1), and ERR_LOOKUP_ADDRESS for a registry to which
 * it would be sent in clear. The token stands in no message.
 */
export async function readRegistryToken(
  registry: URL,
  { environment, workingDirectory }: TokenPlace,
): Promise<string | undefined> {
  const named = environment[TOKEN_FILE];
  if (named === undefined || named === '') return undefined;
  if (registry.protocol !== 'https:' && !isThisMachine(registry)) {
    const hint = `Use https, or take ${TOKEN_FILE} out of the environment.`;
    throw registryAddressUnusable(registry.origin, 'the access token could be read on its way', hint);
  }
  const file = path.resolve(workingDirectory, named);
  return await readAccessToken({
    read: (mostBytes) => readStart(file, mostBytes),
    unusable: (because) => registryTokenUnusable(file, because),
  });
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
