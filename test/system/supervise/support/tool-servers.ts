import { createRunConfig, type Member, type RunConfig, withMemberConfig } from '@portolan/run-spec';
import { NODE_IMAGE } from './workload-bench.ts';

const ANSWER = `
const tools = JSON.parse(process.env.TOOLS).map((name) => ({ name, inputSchema: { type: 'object' } }));
const answer = (m) => {
  if (m.method === 'initialize') return { protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'tools', version: '1' } };
  if (m.method === 'tools/list') return { tools };
  if (m.method !== 'tools/call') return {};
  if (m.params.name === 'exit') setTimeout(() => process.exit(3), 20);
  return { content: [{ type: 'text', text: process.env.NAME + ' ' + m.params.name + ' ' + process.pid + ' ' + require('os').hostname() }] };
};
`;

const OVER_STDIO = `${ANSWER}
let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const m = JSON.parse(line);
    if (m.method === 'server/discover') { process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: m.id, error: { code: -32601, message: 'Method not found' } }) + '\\n'); continue; }
    if (m.id !== undefined && m.method !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: m.id, result: answer(m) }) + '\\n');
  }
}).on('end', () => process.exit(0));
console.error(process.env.NAME + ' listens');
`;

const OVER_HTTP = `${ANSWER}
require('http').createServer((request, response) => {
  let body = '';
  request.on('data', (text) => { body += text; }).on('end', () => {
    if (request.method !== 'POST') { response.writeHead(405).end(); return; }
    const m = JSON.parse(body);
    if (m.id === undefined) { response.writeHead(202).end(); return; }
    const reply = m.method === 'server/discover' ? { error: { code: -32601, message: 'Method not found' } } : { result: answer(m) };
    response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': 'one' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: m.id, ...reply }));
  });
}).listen(Number(process.env.PORT), process.env.MCP_HOST);
console.log(process.env.NAME + ' listens');
`;

/** Returns a server that has tools, each of which responds with its name, the process and the host. */
export function toolServer(
  transport: 'stdio' | 'streamable-http',
  name: string,
  tools: readonly string[],
): Partial<RunConfig> {
  return {
    transport,
    cmd_args: ['node', '-e', transport === 'stdio' ? OVER_STDIO : OVER_HTTP],
    env_vars: { NAME: name, TOOLS: JSON.stringify(tools) },
    ...(transport === 'stdio' ? {} : { target_port: 8123 }),
  };
}

/** Returns a member with such a server in a container, as a plan leaves it. */
export function runMember(fields: Partial<RunConfig>, member: Partial<Member> = {}): Member {
  const config = createRunConfig({
    name: 'member',
    image: NODE_IMAGE,
    target_host: '127.0.0.1',
    permission_profile: { network: { outbound: {} } },
    isolate_network: true,
    ...fields,
  });
  return withMemberConfig({ run: NODE_IMAGE, ...member }, config);
}
