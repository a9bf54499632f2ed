// Lower bound of a stdio bridge in Node.js: plain node:http in front of one process for all sessions.
// Rewrites ids, and parses and prints each body once. No limits, no streams. With `own`, each session has a
// process.
// usage: floor-bridge.ts PORT shared|own COMMAND ARGUMENT...
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

const [port, way, command = '', ...args] = process.argv.slice(2);

class Server {
  readonly #child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #out = '';

  constructor() {
    this.#child.stdout.on(
      'data',
      splitLines((line) => this.#answer(line)),
    );
  }

  ask(message: LooseMessage, waiting: Waiting): void {
    this.#last += 1;
    this.#waiting.set(this.#last, waiting);
    this.write({ ...message, id: this.#last });
  }

  write(message: object): void {
    if (this.#out === '')
      setImmediate(() => {
        this.#child.stdin.write(this.#out);
        this.#out = '';
      });
    this.#out += `${JSON.stringify(message)}\n`;
  }

  end(): void {
    this.#child.kill();
  }

  #answer(line: string): void {
    // SAFETY: only this benchmark's server writes here.
    const message = JSON.parse(line) as LooseMessage;
    const asked = this.#waiting.get(Number(message.id));
    if (asked === undefined) return;
    this.#waiting.delete(Number(message.id));
    const body = Buffer.from(JSON.stringify({ ...message, id: asked.id }));
    const session = asked.session === undefined ? {} : { 'Mcp-Session-Id': asked.session };
    const headers = { ...session, 'Content-Type': 'application/json', 'Content-Length': body.length };
    asked.response.writeHead(200, headers).end(body);
  }
}

const only = way === 'own' ? undefined : new Server();
const sessions = new Map<string, Server>();

function post(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  // SAFETY: only this benchmark's load generator sends requests.
  const message = JSON.parse(body.toString()) as LooseMessage;
  const session = message.method === 'initialize' ? randomUUID() : undefined;
  if (session !== undefined) sessions.set(session, only ?? new Server());
  const server = sessions.get(session ?? String(request.headers['mcp-session-id']));
  if (server === undefined) return void response.writeHead(404).end();
  if (message.id === undefined) {
    server.write(message);
    return void response.writeHead(202, { 'Content-Length': 0 }).end();
  }
  server.ask(message, { id: message.id, response, session });
}

function end(id: string): boolean {
  if (only === undefined) sessions.get(id)?.end();
  return sessions.delete(id);
}

const server = createServer((request, response) => {
  if (request.method === 'POST') return collectBody(request, (body) => post(request, response, body));
  const known = request.method === 'DELETE' && end(String(request.headers['mcp-session-id']));
  response.writeHead(known ? 204 : 405).end();
});
server.keepAliveTimeout = 60_000;
server.listen(Number(port), '127.0.0.1');
