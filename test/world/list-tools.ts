import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { WorldPackage } from './packages.ts';

/** Maximum time for one request to a server, in ms. The first one includes the installation of the package. */
const MAX_REQUEST_MS = 300_000;

/**
 * Returns the names of the tools of a server, sorted, from all pages. With `call`, also calls a tool, and throws if
 * it fails. Closes the transport.
 */
export async function listTools(
  transport: Transport,
  call?: WorldPackage['call'],
): Promise<readonly string[]> {
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
    if (call !== undefined) await callTool(client, call);
    return names.toSorted();
  } finally {
    await client.close();
  }
}

async function callTool(client: Client, call: NonNullable<WorldPackage['call']>): Promise<void> {
  const request = { method: 'tools/call', params: { ...call } };
  const { isError, content } = await client.request(request, ResultSchema, { timeout: MAX_REQUEST_MS });
  if (isError === true) throw new Error(`error: ${call.name} fails: ${JSON.stringify(content)}`);
}
