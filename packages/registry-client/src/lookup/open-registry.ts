import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { isPortolanError } from '@portolan/plugin-api';
import { textOf } from '@portolan/run-spec';
import { accessWith } from '../connection/registry-access.ts';
import { type ActiveRegistry, isDefault } from './active-registry.ts';
import { type CachedServers, FRESH_MS } from './catalogue-cache.ts';
import type { LookupContext } from './lookup-context.ts';
import { registryAnswerUnusable, registryFileUnusable } from './lookup-errors.ts';
import { readCatalogueServers } from './read-catalogue-servers.ts';
import { addressRulesOf } from './registry-address.ts';
import { checkStatus, RegistryApi } from './registry-api.ts';
import { FILE_LIMITS, RegistryConnection } from './registry-connection.ts';
import type { RegistryServer } from './registry-server.ts';
import { findRegistryAccess } from './registry-token.ts';

export interface LoadedServers {
  readonly servers: readonly RegistryServer[];
  readonly warnings: readonly string[];
  readonly age: 'now' | 'cached' | 'stale';
}

export interface LoadOptions {
  readonly refresh?: boolean;
  /** Whether an outdated result may be used when the registry fails. Default: true. */
  readonly allowStale?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface OpenRegistry {
  readonly registry: ActiveRegistry;
  /** Client of the registry's API. Undefined for a catalogue, which is read as a whole. */
  readonly api: RegistryApi | undefined;
  readonly cache: ServerCache;
  /**
   * Returns all servers, from results of the last hour. When the registry fails, a result of the last 7 days
   * is used with a warning, except when it requires a token.
   */
  load(options?: LoadOptions): Promise<LoadedServers>;
  close(): Promise<void>;
}

/** Cached results of one registry for one caller. */
export interface ServerCache {
  find(part: string): Promise<CachedServers | undefined>;
  store(servers: readonly RegistryServer[], part: string): Promise<void>;
}

/**
 * Prepares access to a registry without sending requests. Throws ERR_NAMED_FILE, ERR_LOOKUP_ADDRESS, and
 * errors of finding a login.
 */
export async function openRegistry(registry: ActiveRegistry, context: LookupContext): Promise<OpenRegistry> {
  if (registry.kind === 'file') return openFile(registry, context);
  // A token or login is only for a registry that the user chose.
  const access = isDefault(registry)
    ? accessWith(undefined)
    : await findRegistryAccess(registry.url, context);
  const connection = new RegistryConnection(context, { ...addressRulesOf(context.user), access });
  const { cache } = context;
  const who = access.who === undefined ? '' : createHash('sha256').update(access.who).digest('hex');
  const key = [registry.kind, registry.url.href, who] as const;
  const own: ServerCache = {
    find: (part) => cache.find(...key, part),
    store: async (servers, part) => void (await cache.store(servers, ...key, part)),
  };
  const api = registry.kind === 'api' ? new RegistryApi(connection, registry.url) : undefined;
  const fetchAll = (signal?: AbortSignal): Promise<readonly RegistryServer[]> =>
    api === undefined ? fetchFile(connection, registry.url, signal) : api.list(undefined, signal);
  const load = async (options: LoadOptions = {}): Promise<LoadedServers> => {
    const { refresh = false, allowStale = true, signal } = options;
    const cached = await own.find(ALL);
    if (cached !== undefined && !refresh && cache.ageMs(cached) < FRESH_MS) {
      return { servers: cached.servers, warnings: [], age: 'cached' };
    }
    try {
      const servers = await fetchAll(signal);
      await own.store(servers, ALL);
      return { servers, warnings: [], age: 'now' };
    } catch (error) {
      if (cached === undefined || !allowStale || !mayUseStale(error)) throw error;
      return { servers: cached.servers, warnings: [staleWarning(cached, error)], age: 'stale' };
    }
  };
  return { registry, api, cache: own, load, close: () => connection.close() };
}

export const ALL = 'all';

/**
 * Returns whether an outdated result may be used after this error. True for faults of registry or network;
 * false when a token is required or the user can fix the error.
 */
export function mayUseStale(error: unknown): boolean {
  return isPortolanError(error) && STALE.includes(error.code);
}

const STALE: readonly string[] = [
  'ERR_REGISTRY_UNREACHABLE',
  'ERR_REGISTRY_TIMEOUT',
  'ERR_LOOKUP_STATUS',
  'ERR_REGISTRY_RESPONSE',
];

export function staleWarning({ fetchedAt }: CachedServers, error: unknown): string {
  return `${textOf(error)}; what it said at ${fetchedAt.toISOString()} is used.`;
}

async function fetchFile(
  connection: RegistryConnection,
  url: URL,
  signal: AbortSignal | undefined,
): Promise<readonly RegistryServer[]> {
  const reply = await connection.get(url, FILE_LIMITS, signal);
  checkStatus(url, reply, connection.access);
  try {
    return (await readCatalogueServers(once(reply.body), signal)).servers;
  } catch (error) {
    signal?.throwIfAborted();
    const what = reply.contentType === '' ? '' : `${reply.contentType}; `;
    throw registryAnswerUnusable(`${url.origin}${url.pathname}`, `${what}${textOf(error)}`, error);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function openFile(
  registry: ActiveRegistry & { readonly kind: 'file' },
  { logger }: LookupContext,
): OpenRegistry {
  return {
    registry,
    api: undefined,
    cache: { find: async () => undefined, store: async () => undefined },
    load: async ({ signal } = {}) => {
      const { servers, skipped } = await readRegistryFile(registry.path, signal);
      for (const sentence of skipped)
        logger.debug({ file: registry.path, reason: sentence }, 'entry left out');
      return { servers, warnings: [], age: 'now' };
    },
    close: async () => undefined,
  };
}

export async function readRegistryFile(
  file: string,
  signal?: AbortSignal,
): ReturnType<typeof readCatalogueServers> {
  const stream = createReadStream(file);
  try {
    return await readCatalogueServers(stream, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw registryFileUnusable(file, textOf(error), error);
  } finally {
    stream.destroy();
  }
}
