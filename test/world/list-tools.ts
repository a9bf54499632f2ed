import { Client } from '@modelcontextprotocol/sdk/client/index.js';
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
      const page = await client.listTools(cursor === undefined ? {} : { cursor }, options);
      names.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return names.toSorted();
  } finally {
    await client.close();
  }
}
