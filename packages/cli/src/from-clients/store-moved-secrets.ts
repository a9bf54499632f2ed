import { isPortolanError } from '@portolan/plugin-api';
import type { AppliedWorkload } from '@portolan/workload';
import { deleteSecret, getSecret, setSecret } from '@portolan/workload/secrets';
import type { OpenedContext } from '../context/open-workload-context.ts';
import type { MovingServer } from './movable-servers.ts';

/** Returns the value that the secret store has for a name; undefined if it has none. */
export async function findSecretValue(
  name: string,
  context: OpenedContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await getSecret(name, context, { signal });
  } catch (error) {
    if (isPortolanError(error) && error.code === 'ERR_SECRET_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Stores secrets. If one cannot be stored, removes those before it. */
export async function storeSecrets(
  secrets: ReadonlyMap<string, string>,
  context: OpenedContext,
  signal: AbortSignal,
): Promise<void> {
  const stored: string[] = [];
  try {
    for (const [name, value] of secrets) {
      await setSecret(name, value, context, { signal });
      stored.push(name);
    }
  } catch (error) {
    await removeSecrets(stored, context);
    throw error;
  }
}

/** Removes secrets from the store. A secret that cannot be removed is logged. */
export async function removeSecrets(names: readonly string[], context: OpenedContext): Promise<void> {
  for (const name of names) {
    try {
      await deleteSecret(name, context);
    } catch (error) {
      if (!isPortolanError(error)) throw error;
      context.logger.warn(
        { err: error, secret: name },
        'a secret that no workload uses could not be removed',
      );
    }
  }
}

/** Returns those of the named secrets that no server uses that became a workload. */
export function unusedSecrets(
  names: Iterable<string>,
  servers: readonly MovingServer[],
  results: readonly AppliedWorkload[],
): readonly string[] {
  const isMoved = (name: string): boolean =>
    results.some((one) => one.name === name && one.error === undefined);
  const used = new Set(
    servers.filter(({ workload }) => isMoved(workload.name)).flatMap(({ secrets }) => [...secrets.keys()]),
  );
  return [...names].filter((name) => !used.has(name));
}
