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

// These functions send no request for a capability that the server does not declare. For such a request, the
// library would write a warning to standard output, among the results.

export async function listTools(server: OpenServer): Promise<readonly Tool[]> {
  return await list(server, 'tools', async (client, options) => (await client.listTools({}, options)).tools);
}

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

/** Lists resources and resource templates. A server without templates may not know the request for them. */
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
