import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';

export interface ClientOptions {
  readonly name?: string;
  readonly capabilities?: ClientCapabilities;
  /** Adds handlers before the client sends its first message. */
  readonly prepare?: (client: Client) => void;
}

/**
 * Connects the official client to a workload's URL with the transport of that URL. The caller has to close
 * it.
 */
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

/** Calls a tool, and returns the texts of the response, one per line. */
export async function callTool(client: Client, name: string, args: object = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { ...args } });
  // SAFETY: every tool of the test server returns content.
  return (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('\n');
}

/** Expects that a client of the official SDK can list and call the tools of the test server. */
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
