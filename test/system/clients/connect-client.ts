import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';

export interface ClientOptions {
  readonly name?: string;
  readonly capabilities?: ClientCapabilities;
  /** Adds handlers before the client says hello. */
  readonly prepare?: (client: Client) => void;
}

/** The official client at a workload's URL, by the transport that the URL is for. Whoever opens one closes it. */
export async function connectClient(
  url: string,
  { name = 'tester', capabilities = {}, prepare }: ClientOptions = {},
): Promise<Client> {
  const client = new Client({ name, version: '1.0.0' }, { capabilities });
  prepare?.(client);
  const address = new URL(url);
  const isSse = address.pathname.endsWith('/sse');
  await client.connect(isSse ? new SSEClientTransport(address) : new StreamableHTTPClientTransport(address));
  return client;
}

/** Calls a tool; the texts of its answer, one below the other. */
export async function callTool(client: Client, name: string, args: object = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { ...args } });
  // SAFETY: every tool of the test server answers with content.
  return (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('\n');
}

/** Sees that a client of the official SDK can list the tools of the test server and call them. */
export async function expectUsable(url: string): Promise<void> {
  const client = await connectClient(url);
  try {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).to.include.members(['echo', 'get-env', 'get-sum']);
    expect(await callTool(client, 'echo', { message: 'ahoy' })).to.equal('Echo: ahoy');
    expect(await callTool(client, 'get-sum', { a: 19, b: 23 })).to.contain('42');
  } finally {
    await client.close();
  }
}
