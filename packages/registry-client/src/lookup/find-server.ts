import type { JsonObject } from '@portolan/plugin-api';
import type { ServerSettings } from '@portolan/run-spec';
import { readServerSettings } from '@portolan/run-spec/entries';
import { fieldsOf, findActiveRegistry, isDefault, type RegistryFields } from './active-registry.ts';
import type { LookupContext } from './lookup-context.ts';
import { serverAmbiguous } from './lookup-errors.ts';
import { ALL, mayUseStale, openRegistry, type OpenRegistry, staleWarning } from './open-registry.ts';
import type { RegistryApi } from './registry-api.ts';
import { nameOfServer, type RegistryServer } from './registry-server.ts';
import { findSimilarName } from './similar-name.ts';

export interface ServerMatch {
  readonly isFound: true;
  readonly name: string;
  readonly document: JsonObject;
  readonly status: string;
  readonly settings: ServerSettings;
  /** Address of the registry without the query, or its file. */
  readonly registry: string;
  readonly registryFields: RegistryFields;
  readonly provenance: JsonObject | undefined;
  readonly warnings: readonly string[];
}

/** Says that no server was found. `registry` is undefined when none is configured. */
export interface ServerNotFound {
  readonly isFound: false;
  readonly registry: string | undefined;
  readonly didYouMean?: string;
}

interface Sought {
  readonly server: RegistryServer | undefined;
  readonly warnings: readonly string[];
}

/**
 * Returns the server with this full name or, if unique, this part after its slash. *Not found* is always a
 * response of the registry; everything else is an error. Throws ERR_SERVER_AMBIGUOUS, ERR_LOOKUP_*,
 * ERR_ENTRY_NOT_RUNNABLE, and the reason of the signal.
 */
export async function findServer(
  name: string,
  context: LookupContext,
  signal?: AbortSignal,
  refresh = false,
): Promise<ServerMatch | ServerNotFound> {
  const server = await findRegistryServer(name, context, signal, refresh);
  if (!server.isFound) return server;
  const settings = readServerSettings(server.document);
  return { ...server, settings, provenance: settings.provenance };
}

/** Works like `findServer`, also for servers that cannot run; `refresh` ignores the cache. */
export async function findRegistryServer(
  name: string,
  context: LookupContext,
  signal?: AbortSignal,
  refresh = false,
): Promise<Omit<ServerMatch, 'settings' | 'provenance'> | ServerNotFound> {
  const active = findActiveRegistry(context.user, context.workingDirectory);
  if (active === undefined) return { isFound: false, registry: undefined };
  const registry = await openRegistry(active, context);
  try {
    const { server, warnings } = await seek(name, registry, refresh, signal);
    if (server === undefined) {
      const isLarge = isDefault(active);
      const didYouMean = await findSimilarName(name, registry, context, { isLarge, signal });
      return { isFound: false, registry: active.name, ...(didYouMean === undefined ? {} : { didYouMean }) };
    }
    return {
      isFound: true,
      name: nameOfServer(server),
      document: server.document,
      status: server.status,
      registry: active.name,
      registryFields: fieldsOf(active),
      warnings: [...warnings, ...statusWarnings(server)],
    };
  } finally {
    await registry.close();
  }
}

async function seek(
  name: string,
  open: OpenRegistry,
  refresh: boolean,
  signal: AbortSignal | undefined,
): Promise<Sought> {
  const { api } = open;
  if (api === undefined) return await seekInCatalogue(name, open, refresh, signal);
  try {
    const server = await seekAtApi(name, api, open, signal);
    if (server !== undefined) await open.cache.store([server], nameOfServer(server));
    return { server, warnings: [] };
  } catch (error) {
    const stale = mayUseStale(error) ? await seekInCache(name, open, error) : undefined;
    if (stale === undefined) throw error;
    return stale;
  }
}

async function seekAtApi(
  name: string,
  api: RegistryApi,
  { registry }: OpenRegistry,
  signal: AbortSignal | undefined,
): Promise<RegistryServer | undefined> {
  if (name.includes('/')) return await api.find(name, signal);
  return chosen(name, registry.name, await api.list(name, signal));
}

/**
 * Looks for a server in the cache of a registry API. A cached *not found* does not count, because the server
 * may exist by now.
 */
async function seekInCache(
  name: string,
  { registry, cache }: OpenRegistry,
  error: unknown,
): Promise<Sought | undefined> {
  for (const part of [name, ALL]) {
    const cached = await cache.find(part);
    const server = cached && chosen(name, registry.name, cached.servers);
    if (cached && server) return { server, warnings: [staleWarning(cached, error)] };
  }
  return undefined;
}

/**
 * Looks for a server in a catalogue. When the cached list does not contain the name, fetches the list again,
 * because the server may exist by now.
 */
async function seekInCatalogue(
  name: string,
  open: OpenRegistry,
  refresh: boolean,
  signal: AbortSignal | undefined,
): Promise<Sought> {
  const { registry } = open;
  const first = await open.load({ refresh, signal });
  const server = chosen(name, registry.name, first.servers);
  if (server !== undefined || first.age === 'now') return { server, warnings: first.warnings };
  const { servers } = await open.load({ signal, refresh: true, allowStale: false });
  return { server: chosen(name, registry.name, servers), warnings: [] };
}

function chosen(
  name: string,
  registry: string,
  servers: readonly RegistryServer[],
): RegistryServer | undefined {
  const server = matchName(name, servers);
  if (server.match === 'several') throw serverAmbiguous(name, registry, server.names);
  return server.match === 'one' ? server.server : undefined;
}

function statusWarnings(server: RegistryServer): readonly string[] {
  if (server.status !== 'deprecated') return [];
  const message = server.statusMessage === undefined ? '.' : `: ${server.statusMessage}`;
  return [`${nameOfServer(server)} is deprecated${message}`];
}

type NameMatch =
  | { readonly match: 'one'; readonly server: RegistryServer }
  | { readonly match: 'several'; readonly names: readonly string[] }
  | { readonly match: 'none' };

/** Returns an exact match or, for a text without a slash, the only server with that name after its slash. */
function matchName(text: string, servers: readonly RegistryServer[]): NameMatch {
  const exact = servers.find((server) => nameOfServer(server) === text);
  if (exact !== undefined) return { match: 'one', server: exact };
  if (text.includes('/')) return { match: 'none' };
  const short = servers.filter((server) => nameOfServer(server).endsWith(`/${text}`));
  const [first] = short;
  const names = [...new Set(short.map((server) => nameOfServer(server)))].toSorted();
  if (first === undefined) return { match: 'none' };
  return names.length === 1 ? { match: 'one', server: first } : { match: 'several', names };
}
