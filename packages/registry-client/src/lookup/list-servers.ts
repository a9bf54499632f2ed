import { isPortolanError } from '@portolan/plugin-api';
import type { EntryDemands } from '@portolan/run-spec';
import { describeEntryDemands } from '@portolan/run-spec/entries';
import { findActiveRegistry, isDefault } from './active-registry.ts';
import { describeServer, type ListedServer } from './describe-server.ts';
import type { LookupContext } from './lookup-context.ts';
import { registryMissing, registryNotListed } from './lookup-errors.ts';
import { openRegistry, type OpenRegistry } from './open-registry.ts';
import type { RegistryServer } from './registry-server.ts';

export interface ServerListing<Server extends ListedServer = ListedServer> {
  readonly registry: string;
  readonly servers: readonly Server[];
  readonly warnings: readonly string[];
}

export type ServerWithDemands = ListedServer & EntryDemands;

/**
 * Lists all servers. Throws ERR_LOOKUP_NO_REGISTRY and ERR_LOOKUP_*, among them ERR_LOOKUP_NOT_LISTED for the
 * default registry; `refresh` ignores the cache.
 */
export async function listServers(
  context: LookupContext,
  { refresh = false, signal }: { readonly refresh?: boolean; readonly signal?: AbortSignal } = {},
): Promise<ServerListing> {
  return await withRegistry(context, describeServer, async (open) => {
    if (isDefault(open.registry)) throw registryNotListed(open.registry.name);
    return await open.load({ refresh, signal });
  });
}

/**
 * Returns servers whose name, title, description, tags or tools contain the text, case-insensitively. Large
 * registries search themselves, with a warning because they compare fewer fields. Throws like `listServers`.
 */
export async function searchServers(
  query: string,
  context: LookupContext,
  options: { readonly refresh?: boolean; readonly signal?: AbortSignal } = {},
): Promise<ServerListing<ServerWithDemands>> {
  return await withRegistry(context, describeMatch, async (open) => {
    if (open.api !== undefined && isDefault(open.registry)) {
      return { servers: await open.api.list(query, options.signal), warnings: [] };
    }
    try {
      return onlyMatching(query, await open.load(options));
    } catch (error) {
      const isTooLarge = isPortolanError(error) && error.code === 'ERR_LOOKUP_TOO_LARGE';
      if (open.api === undefined || !isTooLarge) throw error;
      return { servers: await open.api.list(query, options.signal), warnings: [ASKED_ITSELF] };
    }
  });
}

const ASKED_ITSELF =
  'the registry has too many servers to look through; it searched names, titles and descriptions, not tags and tools.';

interface Loaded {
  readonly servers: readonly RegistryServer[];
  readonly warnings: readonly string[];
}

function describeMatch(server: RegistryServer): ServerWithDemands {
  return { ...describeServer(server), ...describeEntryDemands(server.document) };
}

async function withRegistry<Server extends ListedServer>(
  context: LookupContext,
  describe: (server: RegistryServer) => Server,
  read: (open: OpenRegistry) => Promise<Loaded>,
): Promise<ServerListing<Server>> {
  const active = findActiveRegistry(context.user, context.workingDirectory);
  if (active === undefined) throw registryMissing();
  const open = await openRegistry(active, context);
  try {
    const { servers, warnings } = await read(open);
    const listed = servers.map((server) => describe(server));
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
  const matchingServers = servers.filter((server) => {
    const { name, title = '', description, tags, tools } = describeServer(server);
    return [name, title, description, ...tags, ...tools].some((text) => text.toLowerCase().includes(sought));
  });
  return { servers: matchingServers, warnings };
}
