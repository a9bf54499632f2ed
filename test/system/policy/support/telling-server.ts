import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Port of the server in a container that speaks HTTP. */
export const TELLING_PORT = 8080;

/**
 * A server with tools that return what it received: name, arguments and headers with credentials. One program
 * for `node -e`, in a container or without one. Its argument is `stdio`, or `http` with a port.
 */
const PROGRAM = String.raw`
const TOOLS = ['echo', 'once', 'look', 'secret'].map((name) => ({ name, description: 'tells', inputSchema: { type: 'object' } }));
const resultOf = ({ method, params }, headers) => {
  if (method === 'initialize') {
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'telling', version: '1' } };
  }
  if (method === 'tools/list') return { tools: TOOLS };
  if (method !== 'tools/call') return {};
  const told = { name: params.name, arguments: params.arguments, authorization: headers.authorization, upstream: headers['x-upstream-token'] };
  return { content: [{ type: 'text', text: JSON.stringify(told) }] };
};
const answerOf = (text, headers) => {
  const message = JSON.parse(text);
  if (message.id === undefined || message.method === undefined) return undefined;
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message, headers) });
};
const [, how, port] = process.argv;
if (how === 'stdio') {
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const answer = answerOf(line, {});
    if (answer !== undefined) console.log(answer);
  });
} else {
  const server = require('node:http').createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
    let body = '';
    request.on('data', (chunk) => (body += chunk)).on('end', () => {
      const answer = answerOf(body, request.headers);
      if (answer === undefined) return void response.writeHead(202).end();
      const session = body.includes('"initialize"') ? { 'Mcp-Session-Id': require('node:crypto').randomUUID() } : {};
      response.writeHead(200, { 'Content-Type': 'application/json', ...session }).end(answer);
    });
  });
  server.listen(Number(port), () => console.log(server.address().port));
  process.once('SIGTERM', () => process.exit(0));
}
`;

/** Command of a container. */
export function tellingCommand(how: 'stdio' | 'http'): readonly string[] {
  return ['node', '-e', PROGRAM, how, String(TELLING_PORT)];
}

/** The same server on this machine, for remote workloads. */
export class TellingServer {
  readonly url: URL;
  readonly #process: ChildProcess;

  private constructor(url: URL, child: ChildProcess) {
    this.url = url;
    this.#process = child;
  }

  static async start(): Promise<TellingServer> {
    const child = spawn(process.execPath, ['-e', PROGRAM, 'http', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [port] = await once(child.stdout, 'data');
    return new TellingServer(new URL(`http://127.0.0.1:${String(port).trim()}/mcp`), child);
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill();
    await ended;
  }
}
