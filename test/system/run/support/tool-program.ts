/**
 * Program of a server on standard input and output. Its tools are in the variable `TOOLS`, separated by commas.
 * Each returns the variable `WHO`, the name of the tool, and the host, which differs between containers.
 */
export const TOOL_PROGRAM = `
const tools = (process.env.TOOLS || 'say').split(',').map((name) => ({ name, inputSchema: { type: 'object' } }));
const answer = (m) => {
  if (m.method === 'initialize') return { protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'tools', version: '1' } };
  if (m.method === 'tools/list') return { tools };
  if (m.method !== 'tools/call') return {};
  return { content: [{ type: 'text', text: [process.env.WHO, m.params.name, require('os').hostname()].join(' ') }] };
};
let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const m = JSON.parse(line);
    if (m.id === undefined || m.method === undefined) continue;
    const reply = m.method === 'server/discover' ? { error: { code: -32601, message: 'Method not found' } } : { result: answer(m) };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: m.id, ...reply }) + '\\n');
  }
}).on('end', () => process.exit(0));
console.error(process.env.WHO + ' listens');
`;
