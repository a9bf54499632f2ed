import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** Maximum time for one request to a server, in ms. The first one includes the installation of the package. */
const MAX_REQUEST_MS = 300_000;

/** Returns the names of the tools of a server, sorted, from all pages. Closes the transport. */
export async function listTools(transport: Transport): Promise<readonly string[]> {
  const client = new Client({ name: 'portolan-test-world', version: '1.0.0' }, { capabilities: {} });
  const options = { timeout: MAX_REQUEST_MS };
  try {
    await client.connect(transport, options);
    if (client.getServerCapabilities()?.tools === undefined) return [];
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { cursor };
      // Not `client.listTools`: it rejects the list of a server whose schemas are invalid.
      const page = await client.request({ method: 'tools/list', params }, ResultSchema, options);
      const { tools, nextCursor } = page;
      if (!Array.isArray(tools)) throw new Error('the server lists no tools');
      names.push(...tools.map((tool: unknown) => String(Object(tool).name)));
      cursor = typeof nextCursor === 'string' ? nextCursor : undefined;
    } while (cursor !== undefined);
    return names.toSorted();
  } finally {
    await client.close();
  }
}
