// The floor of a bridge to a server on standard input and output, in Node: bare node:http in front of one
// process for all sessions, ids rewritten, bodies parsed and printed once each way. No limits, no streams.
// usage: floor-bridge.ts PORT COMMAND ARGUMENT...
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { collectBody } from './collect-body.ts';
import type { LooseMessage } from './echo-tool.ts';
import { splitLines } from './split-lines.ts';

interface Waiting {
  readonly id: string | number;
  readonly response: ServerResponse;
  readonly session: string | undefined;
}

const [port, command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
child.on('exit', (code) => process.exit(code ?? 1));
const sessions = new Set<string>();
const waiting = new Map<number, Waiting>();
let last = 0;
let out = '';

function write(message: object): void {
  if (out === '')
    setImmediate(() => {
      child.stdin.write(out);
      out = '';
    });
  out += `${JSON.stringify(message)}\n`;
}

child.stdout.on(
  'data',
  splitLines((line) => {
    // SAFETY: the server of this benchmark writes nothing else.
    const message = JSON.parse(line) as LooseMessage;
    const asked = waiting.get(Number(message.id));
    if (asked === undefined) return;
    waiting.delete(Number(message.id));
    const body = Buffer.from(JSON.stringify({ ...message, id: asked.id }));
    const session = asked.session === undefined ? {} : { 'Mcp-Session-Id': asked.session };
    const headers = { ...session, 'Content-Type': 'application/json', 'Content-Length': body.length };
    asked.response.writeHead(200, headers).end(body);
  }),
);

function post(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  // SAFETY: only the load of this benchmark comes here.
  const message = JSON.parse(body.toString()) as LooseMessage;
  const session = message.method === 'initialize' ? randomUUID() : undefined;
  if (session !== undefined) sessions.add(session);
  else if (!sessions.has(String(request.headers['mcp-session-id']))) {
    return void response.writeHead(404).end();
  }
  if (message.id === undefined) {
    write(message);
    return void response.writeHead(202, { 'Content-Length': 0 }).end();
  }
  last += 1;
  waiting.set(last, { id: message.id, response, session });
  write({ ...message, id: last });
}

const server = createServer((request, response) => {
  if (request.method === 'POST') return collectBody(request, (body) => post(request, response, body));
  const known = request.method === 'DELETE' && sessions.delete(String(request.headers['mcp-session-id']));
  response.writeHead(known ? 204 : 405).end();
});
server.keepAliveTimeout = 60_000;
server.listen(Number(port), '127.0.0.1');
