// Lists the tools of a virtual server, and calls one tool of each member, with the client of the official SDK.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** One tool of each member, by its exposed name. */
const CALLS = [
  { name: 'sums_get-sum', arguments: { a: 2, b: 3 } },
  { name: 'memory_read_graph', arguments: {} },
  { name: 'high_water', arguments: {} },
];

const [url = ''] = process.argv.slice(2);
const client = new Client({ name: 'call-members', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
try {
  const { tools } = await client.listTools();
  for (const { name } of tools) process.stdout.write(`${name}\n`);
  for (const call of CALLS) {
    const { content } = await client.callTool(call);
    // SAFETY: each of these tools returns one text.
    const [{ text }] = content as [{ readonly text: string }];
    process.stdout.write(`${call.name}: ${text.replaceAll(/\s+/g, ' ')}\n`);
  }
} finally {
  await client.close();
}
