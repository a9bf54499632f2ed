import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  type Handle,
  HttpBackendUnderTest,
  type Received,
} from '../../../../packages/proxy/test/support/http-backend.ts';

/**
 * A server with sessions over streamable HTTP that responds to `tools/call` with an event stream, stores its
 * events, and supports resumption. A call of `held` gets its response only after `release`. A call of `slow`
 * gets it after a moment, with or without an open stream.
 */
export class ResumableBackend {
  readonly http: HttpBackendUnderTest;
  readonly sessions = new Set<string>();
  readonly #held: (() => void)[] = [];
  /** Events of a call's stream, and its current listener. */
  readonly #streams = new Map<string, { readonly events: string[]; listener: ServerResponse | undefined }>();

  private constructor(http: HttpBackendUnderTest) {
    this.http = http;
  }

  static async start(): Promise<ResumableBackend> {
    let handle: Handle = () => undefined;
    const backend = new ResumableBackend(await HttpBackendUnderTest.start((...args) => handle(...args)));
    handle = (request, response) => backend.#handle(request, response);
    return backend;
  }

  get held(): number {
    return this.#held.length;
  }

  release(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  #handle(request: Received, response: ServerResponse): void {
    const session = String(request.headers['mcp-session-id'] ?? '');
    if (request.method === 'POST') {
      this.#post(request, session, response);
      return;
    }
    if (!this.sessions.has(session)) response.writeHead(404).end();
    else if (request.method === 'DELETE') {
      this.sessions.delete(session);
      response.writeHead(204).end();
    } else this.#resume(String(request.headers['last-event-id'] ?? ''), response);
  }

  #post({ body, headers }: Received, session: string, response: ServerResponse): void {
    const { id, method, params } = JSON.parse(body.toString());
    const isModern = headers['mcp-protocol-version'] === '2026-07-28';
    if (method === 'initialize') {
      const begun = randomUUID();
      this.sessions.add(begun);
      const result = { protocolVersion: params.protocolVersion, capabilities: {} };
      response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': begun });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    } else if (!isModern && !this.sessions.has(session)) response.writeHead(404).end();
    else if (id === undefined) response.writeHead(202).end();
    else if (method === 'tools/call' && params.name === 'held')
      this.#held.push(this.#open(id, 'held', response));
    else if (method === 'tools/call' && params.name === 'slow') {
      const answer = this.#open(id, params.arguments, response);
      setTimeout(answer, 5);
    } else {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { said: params?.arguments ?? null } }));
    }
  }

  /** Opens the stream of a call, and returns a function that sends the response. */
  #open(id: unknown, said: unknown, response: ServerResponse): () => void {
    const name = randomUUID();
    const stream: { readonly events: string[]; listener: ServerResponse | undefined } = {
      events: [],
      listener: response,
    };
    this.#streams.set(name, stream);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(`id: ${name}\ndata: \n\n`);
    response.once('close', () => {
      if (stream.listener === response) stream.listener = undefined;
    });
    return () => {
      const text = JSON.stringify({ jsonrpc: '2.0', id, result: { said } });
      stream.events.push(`event: message\ndata: ${text}\n\n`);
      stream.listener?.end(stream.events.join(''));
    };
  }

  #resume(name: string, response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(': here\n\n');
    const stream = this.#streams.get(name);
    if (stream === undefined) return;
    if (stream.events.length > 0) response.end(stream.events.join(''));
    else stream.listener = response;
  }
}
