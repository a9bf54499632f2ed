import type {
  Client,
  Prompt,
  RequestOptions,
  Resource,
  ResourceTemplateType,
  ServerCapabilities,
  Tool,
} from '@modelcontextprotocol/client';
import { isPortolanError } from '@portolan/plugin-api';
import type { OpenServer } from './open-server.ts';

// A server that does not say that it has such things is not asked for them: the
// library would say so on standard output, where answers stand.

/** All tools of a server. */
export async function listTools(server: OpenServer): Promise<readonly Tool[]> {
  return await list(server, 'tools', async (client, options) => (await client.listTools({}, options)).tools);
}

/** All prompts of a server. */
export async function listPrompts(server: OpenServer): Promise<readonly Prompt[]> {
  return await list(
    server,
    'prompts',
    async (client, options) => (await client.listPrompts({}, options)).prompts,
  );
}

export interface ListedResources {
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplateType[];
}

/** All resources of a server, and its templates; one without templates need not know the question. */
export async function listResources(server: OpenServer): Promise<ListedResources> {
  const resources = await list(
    server,
    'resources',
    async (client, options) => (await client.listResources({}, options)).resources,
  );
  try {
    const resourceTemplates = await list(
      server,
      'resources',
      async (client, options) => (await client.listResourceTemplates({}, options)).resourceTemplates,
    );
    return { resources, resourceTemplates };
  } catch (error) {
    if (!isPortolanError(error) || error.code !== 'ERR_MCP_ANSWER') throw error;
    return { resources, resourceTemplates: [] };
  }
}

async function list<Item>(
  server: OpenServer,
  capability: keyof ServerCapabilities,
  ask: (client: Client, options: RequestOptions) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  return await server.ask(async (client, options) =>
    client.getServerCapabilities()?.[capability] === undefined ? [] : await ask(client, options),
  );
}
