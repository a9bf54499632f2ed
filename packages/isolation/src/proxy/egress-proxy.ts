import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Semaphore } from '@portolan/plugin-api';
import { type EgressListener, refuse } from '../policy/egress-event.ts';
import type { EgressJudge, Passage } from '../policy/egress-judge.ts';
import { forwardRequest } from './forward-request.ts';
import { listenOn } from './listen-on.ts';
import { type Outcome, openTunnel } from './open-tunnel.ts';
import type { OwnAnswers } from '../policy/local-responses.ts';
import { describeRefusal, writeResponse } from './refusal-response.ts';

export interface EgressLimits {
  readonly connections: number;
  readonly headerBytes: number;
  /** Milliseconds for a request's headers; a body or tunnel has no limit. */
  readonly headMs: number;
  readonly idleMs: number;
}

export const EGRESS_LIMITS: EgressLimits = {
  connections: 256,
  headerBytes: 16_384,
  headMs: 15_000,
  idleMs: 30_000,
};

/** Maximum concurrent requests of a client connection; each has its own upstream connection. */
const MAX_AT_ONCE = 2;
/** Maximum queued requests of a client connection; apt pipelines ten. */
const MAX_WAITING = 32;

export interface EgressProxyOptions {
  readonly workload: string;
  /** Path of the Unix socket. A leftover from an earlier run is removed. */
  readonly socket: string;
  readonly judge: EgressJudge;
  readonly answers?: OwnAnswers | undefined;
  readonly onEvent: EgressListener;
  readonly limits?: Partial<EgressLimits>;
}

/** Forward proxy for one workload on a Unix socket: CONNECT, and plain HTTP in absolute form. */
export class EgressProxy {
  readonly #options: EgressProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #turns = new WeakMap<Socket, Semaphore>();

  private constructor(options: EgressProxyOptions) {
    this.#options = options;
    const limits = { ...EGRESS_LIMITS, ...options.limits };
    this.#server = createServer({
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headMs,
      requestTimeout: 0, // an upload may be slow
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: 5000,
      insecureHTTPParser: false,
      requireHostHeader: false, // the URL contains the host
    });
    this.#server.maxConnections = limits.connections;
    this.#listen();
  }

  static async open(options: EgressProxyOptions): Promise<EgressProxy> {
    const proxy = new EgressProxy(options);
    await listenOn(proxy.#server, options.socket);
    return proxy;
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  #listen(): void {
    const server = this.#server;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('drop', () => {
      const refusal = refuse(
        'too-many-connections',
        `more than ${server.maxConnections} connections at once`,
      );
      this.#report('', '', { target: undefined, decision: refusal });
    });
    server.on('clientError', (_error: Error, socket: Duplex) => {
      if (socket.destroyed) return;
      const refusal = refuse('request-invalid', 'what was sent is no HTTP request, or too slow or too long');
      socket.end(writeResponse(describeRefusal(refusal)), () => socket.destroy());
      this.#report('', '', { target: undefined, decision: refusal });
    });
    server.on('connect', (request, socket, head) => void this.#connect(request, socket, head));
    server.on('request', (request, response) => {
      if (!this.#answerItself(request, response)) void this.#forward(request, response);
    });
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', socket } = request;
    if (socket.destroyed) return; // pipelined behind a request above the limit
    const turns = this.#turns.get(socket) ?? new Semaphore(MAX_AT_ONCE);
    this.#turns.set(socket, turns);
    if (turns.waiting < MAX_WAITING) {
      const leave = await turns.enter();
      if (socket.destroyed) return;
      response.once('close', leave);
      this.#report(method, url, await forwardRequest(this.#options.judge, request, response));
      return;
    }
    const text = `more than ${MAX_WAITING} requests on one connection wait for their turn`;
    this.#report(method, url, { target: undefined, decision: refuse('too-many-connections', text) });
    socket.destroy();
  }

  async #connect({ url = '' }: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    if (head.length > 0) socket.unshift(head);
    this.#report('CONNECT', url, await openTunnel(this.#options.judge, url, socket, gone.signal));
  }

  #answerItself(request: IncomingMessage, response: ServerResponse): boolean {
    const { workload, onEvent, answers } = this.#options;
    const input = answers?.respond(request, response);
    if (input === undefined) return false;
    const { host, port, decision } = input;
    const where = { workload, method: request.method ?? '', host, port };
    onEvent(
      decision.allowed
        ? { ...where, allowed: true, rule: decision.by }
        : { ...where, allowed: false, rule: decision.reason, text: decision.text },
    );
    return true;
  }

  #report(method: string, written: string, { target, decision }: Outcome): void {
    const { workload, onEvent } = this.#options;
    const where = {
      workload,
      method,
      host: target?.host.text ?? written.slice(0, 200),
      port: target?.port,
    };
    if (!decision.allowed) {
      onEvent({ ...where, allowed: false, rule: decision.reason, text: decision.text });
      return;
    }
    const { by: rule, failure } = decision;
    onEvent({
      ...where,
      allowed: true,
      rule,
      via: describePassage(decision),
      ...(failure === undefined ? {} : { failure }),
    });
  }
}

function describePassage(passage: Passage): string {
  if (passage.route === 'upstream') return `${passage.proxy.protocol}//${passage.proxy.host}`;
  return passage.addresses.map(({ text }) => text).join(' ');
}
