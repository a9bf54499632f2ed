// Client of a virtual server, with the official SDK for TypeScript, version 2: node members.js URL FILE
import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, file] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(file, 'utf8'));
const client = new Client(
  { name: 'typescript-2', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
);
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const { tools } = await client.listTools();
const missing = expected.tools.filter((tool) => !tools.some(({ name }) => name === tool));
if (missing.length > 0) throw new Error(`not listed: ${missing.join(', ')}`);
for (const { name, arguments: args, seen } of expected.calls) {
  const result = await client.callTool({ name, arguments: args });
  if (!JSON.stringify(result).includes(seen)) throw new Error(`${name}: ${JSON.stringify(result)}`);
}
await client.close();
console.log('ok');
