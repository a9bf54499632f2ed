import { nearest } from '@portolan/plugin-api';
import type { LookupContext } from './lookup-context.ts';
import type { OpenRegistry } from './open-registry.ts';
import { nameOfServer, type RegistryServer } from './registry-server.ts';

const MAX_MS = 2000;

/**
 * Returns the server with the most similar name; undefined when none is similar, or the registry is too slow.
 */
export async function findSimilarName(
  name: string,
  registry: Pick<OpenRegistry, 'load' | 'api'>,
  { logger }: Pick<LookupContext, 'logger'>,
  { isLarge, signal }: { readonly isLarge: boolean; readonly signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const late = AbortSignal.timeout(MAX_MS);
  try {
    const combinedSignal = signal === undefined ? late : AbortSignal.any([signal, late]);
    const servers = isLarge
      ? await searchAround(name, registry, combinedSignal)
      : (await registry.load({ signal: combinedSignal })).servers;
    const others = servers.map(nameOfServer).filter((other) => other !== name);
    return maxSimilar(name, others);
  } catch (error) {
    signal?.throwIfAborted();
    logger.debug({ err: error }, 'the names of the registry could not be looked at');
    return undefined;
  }
}

/**
 * Returns servers with names like the given one: searches for its namespace and its short name, or for the
 * beginning of a name without namespace.
 */
async function searchAround(
  name: string,
  { api }: Pick<OpenRegistry, 'api'>,
  signal: AbortSignal,
): Promise<readonly RegistryServer[]> {
  const [space, short] = halves(name);
  const searches = space === '' ? [`/${short.slice(0, 2)}`] : [`${space}/`, `/${short}`];
  const registryServers = await Promise.all(
    searches.map(async (search) => (await api?.list(search, signal)) ?? []),
  );
  return registryServers.flat();
}

/**
 * Returns the most similar name. A short name is compared with short names. For a full name, the part before
 * or after the slash must be equal.
 */
function maxSimilar(name: string, names: readonly string[]): string | undefined {
  const [space, short] = halves(name);
  const chosen = (word: string, half: 0 | 1, others: readonly string[]): string | undefined => {
    const match = nearest(
      word,
      others.map((other) => halves(other)[half]),
    );
    return others.find((other) => halves(other)[half] === match);
  };
  if (space === '') return chosen(short, 1, names);
  const neighbours = names.filter((other) => halves(other)[0] === space);
  const namesakes = names.filter((other) => halves(other)[1] === short);
  return chosen(short, 1, neighbours) ?? chosen(space, 0, namesakes);
}

function halves(name: string): readonly [space: string, short: string] {
  const slash = name.indexOf('/');
  return slash === -1 ? ['', name] : [name.slice(0, slash), name.slice(slash + 1)];
}
