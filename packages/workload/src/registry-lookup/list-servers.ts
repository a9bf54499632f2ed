import { searchTextOf } from '@portolan/entry-format';
import { textMember } from '@portolan/run-spec';
import { findActiveRegistry } from './active-registry.ts';
import { describeServer, type ListedServer } from './describe-server.ts';
import type { LookupContext } from './lookup-context.ts';
import { registryMissing } from './lookup-errors.ts';
import { mayUseStale, openRegistry, type OpenRegistry } from './open-registry.ts';
import { nameOfServer, type RegistryServer } from './registry-server.ts';

export interface ServerListing {
  /** The registry, for messages. */
  readonly registry: string;
  /** By name. */
  readonly servers: readonly ListedServer[];
  readonly warnings: readonly string[];
}

/**
 * All servers of the active registry. Throws ERR_LOOKUP_NO_REGISTRY and
 * ERR_LOOKUP_*; with `refresh` the registry is asked whatever is in the cache.
 */
export async function listServers(
  context: LookupContext,
  { refresh = false, signal }: { readonly refresh?: boolean; readonly signal?: AbortSignal } = {},
): Promise<ServerListing> {
  return await withRegistry(context, async (open) => await open.load({ refresh, signal }));
}

/**
 * Servers whose name, title or description has the text, whatever its case; an
 * API is asked, and where it fails what it said earlier is looked through.
 */
export async function searchServers(
  query: string,
  context: LookupContext,
  signal?: AbortSignal,
): Promise<ServerListing> {
  return await withRegistry(context, async (open) => {
    if (open.api === undefined) return onlyMatching(query, await open.load({ signal }));
    try {
      return { servers: await open.api.list(query, signal), warnings: [] };
    } catch (error) {
      if (!mayUseStale(error)) throw error;
      return onlyMatching(query, await open.load({ signal }));
    }
  });
}

interface Loaded {
  readonly servers: readonly RegistryServer[];
  readonly warnings: readonly string[];
}

async function withRegistry(
  context: LookupContext,
  read: (open: OpenRegistry) => Promise<Loaded>,
): Promise<ServerListing> {
  const active = findActiveRegistry(context.user, context.workingDirectory);
  if (active === undefined) throw registryMissing();
  const open = await openRegistry(active, context);
  try {
    const { servers, warnings } = await read(open);
    const listed = servers.map(describeServer);
    return {
      registry: active.name,
      servers: listed.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
      warnings,
    };
  } finally {
    await open.close();
  }
}

function onlyMatching(query: string, { servers, warnings }: Loaded): Loaded {
  const sought = query.toLowerCase();
  const found = servers.filter((server) => {
    const title = textMember(server.document, 'title');
    const description = textMember(server.document, 'description') ?? '';
    return searchTextOf(nameOfServer(server), title, description).includes(sought);
  });
  return { servers: found, warnings };
}
