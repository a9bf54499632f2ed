// Client of the official SDK for TypeScript, version 2: node client.js TRANSPORT URL | node client.js stdio COMMAND...
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [kind, target = '', ...args] = process.argv.slice(2);
const transports = {
  stdio: () => new StdioClientTransport({ command: target, args, env: process.env }),
  sse: () => new SSEClientTransport(new URL(target)),
  'streamable-http': () => new StreamableHTTPClientTransport(new URL(target)),
};

const client = new Client(
  { name: 'typescript-2', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
);
await client.connect(transports[kind]());
const { tools } = await client.listTools();
if (!tools.some(({ name }) => name === 'echo')) throw new Error('the tool echo is not listed');
const call = async (name) => await client.callTool({ name, arguments: { message: 'ahoy' } });
const expectEcho = async () => {
  const { content } = await call('echo');
  if (!content[0]?.text.includes('ahoy')) throw new Error(`unexpected result: ${JSON.stringify(content)}`);
};
await expectEcho();
if (process.env.DENIED_TOOL) {
  const denial = await call(process.env.DENIED_TOOL).then(
    ({ isError }) => isError,
    (error) => error,
  );
  if (!denial) throw new Error('the denied call succeeded');
  await expectEcho();
}
await client.close();
console.log('ok');
