import type { RunConfig } from '@portolan/run-spec';

const ANSWER = `
const answer = (m) => m.method === 'initialize'
  ? { protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'mini', version: '1' } }
  : m.method === 'tools/list' ? { tools: [] } : m.method === 'where' ? { host: require('os').hostname(), pid: process.pid } : m.method === 'tools/call' ? keep() : {};
const keep = () => { try { require('fs').writeFileSync('/kept', ''); return { content: [] }; } catch (e) { return { isError: true, content: [{ type: 'text', text: e.message }] }; } };
const act = (m) => {
  if (m.method === 'exit') { console.error('leaving with ' + m.params.code); process.exit(m.params.code); }
  if (m.method === 'hog') { const kept = []; for (;;) kept.push(Buffer.alloc(16 << 20, 1)); }
  if (m.method === 'listen') { require('net').createServer((socket) => socket.end(m.params.secret)).on('error', (e) => tell(m, e.code)).listen(m.params.port, '127.0.0.1', () => tell(m, 'listening')); return true; }
  if (m.method === 'connect') { let text = ''; require('net').connect(m.params.port, '127.0.0.1').on('data', (part) => { text += part; }).on('error', (e) => tell(m, e.code)).on('end', () => tell(m, text)); return true; }
  if (m.method === 'pause') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, m.params.ms);
  if (m.method === 'half') { process.stdout.write('{"jsonrpc":"2.0",'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }
  if (m.method === 'long') { const part = Buffer.alloc(1 << 20, 120); process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(m.id) + ',"result":"'); for (let at = 0; at < m.params.megabytes; at += 1) process.stdout.write(part); process.stdout.write('"}\\n'); return; }
  if (m.method === 'flood') { const line = 'x'.repeat(1000) + '\\n'; const more = () => { while (process.stdout.write(line)); process.stdout.once('drain', more); }; more(); }
};
`;

const OVER_STDIO = `${ANSWER}
const tell = (m, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: m.id, result }) + '\\n');
let isMute = false;
process.stdout.on('error', () => {});
let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const m = JSON.parse(line);
    if (act(m) === true) continue;
    if (m.method === 'mute') isMute = true;
    if (m.id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: m.id, result: answer(m) }) + '\\n');
    if (isMute && m.method === 'ping') { isMute = false; console.error('closes its output'); require('fs').closeSync(1); }
  }
}).on('end', () => process.exit(0));
console.error('mini server listens');
`;

const OVER_HTTP = `${ANSWER}
require('http').createServer((request, response) => {
  let body = '';
  request.on('data', (text) => { body += text; }).on('end', () => {
    if (request.method !== 'POST') { response.writeHead(405).end(); return; }
    const m = JSON.parse(body);
    act(m);
    response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': 'one' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: m.id, result: answer(m) }));
  });
}).listen(Number(process.env.PORT), process.env.MCP_HOST);
console.log('mini server listens');
`;

/** Code before the server's own program, such as a fault. */
export function stdioServer(before = ''): Partial<RunConfig> {
  return { transport: 'stdio', cmd_args: ['node', '-e', before + OVER_STDIO] };
}

export function httpServer(before = ''): Partial<RunConfig> {
  return { transport: 'streamable-http', target_port: 8123, cmd_args: ['node', '-e', before + OVER_HTTP] };
}

/** Sends a request without a session or in the given one. Returns its result or the status of a refusal. */
export async function ask(url: string, method: string, params: object = {}, session = ''): Promise<unknown> {
  const response = await post(url, { jsonrpc: '2.0', id: 1, method, params }, session);
  if (!response.ok) return response.status;
  const message: unknown = await response.json();
  return typeof message === 'object' && message !== null && 'result' in message ? message.result : message;
}

/** Opens a session and returns its id. */
export async function openSession(url: string): Promise<string> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const response = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, '');
  await response.text();
  if (!response.ok) throw new Error(`initialize was answered with ${response.status}`);
  return response.headers.get('mcp-session-id') ?? '';
}

function post(url: string, message: object, session: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body: JSON.stringify(message),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(session === '' ? {} : { 'Mcp-Session-Id': session }),
    },
    signal: AbortSignal.timeout(40_000),
  });
}
