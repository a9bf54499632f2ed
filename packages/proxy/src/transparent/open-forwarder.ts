import { isPortolanError, type PortolanError } from '@portolan/plugin-api';
import type { Agent, ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { backendTooSlow, backendUnreachable, redirectRefused } from '../errors.ts';
import { findRedirectFault } from './upstream-path.ts';

/** One request on its way to the server behind. */
export interface Forwarding {
  /** Where it goes. */
  readonly url: URL;
  /** Path and query of it, as they were written. */
  readonly path: string;
  readonly body: Buffer | undefined;
  /** The answer has begun: passes it on to the client. */
  readonly answered: (answer: IncomingMessage, url: URL) => void;
  /** There will be no answer. Not called when the client has left. */
  readonly failed: (error: PortolanError) => void;
}

export interface Forwarder {
  forward(request: IncomingMessage, response: ServerResponse, forwarding: Forwarding): void;
  /** Ends the connections to the server behind. */
  close(): void;
}

export interface ForwarderOptions {
  readonly target: URL;
  /** Time for a connection to come about, in milliseconds. */
  readonly connectMs: number;
  /** Connects to the target; left out: as Node does. */
  readonly agent: Agent | undefined;
}

/** A redirect changes the address. */
type Running = Omit<Forwarding, 'url' | 'path'> & { url: URL; hops: number };

const REDIRECTS = [301, 302, 307, 308];

/** Forwards requests over http-proxy-middleware, which is loaded here, where it is first needed. */
export async function openForwarder(options: ForwarderOptions): Promise<Forwarder> {
  const { createProxyMiddleware, proxyEventsPlugin } = await import('http-proxy-middleware');
  // An agent of the caller's leads to one server, which has no other protocol.
  const agents = new Map([[options.target.protocol, options.agent ?? (await openAgent(options.target))]]);
  const running = new WeakMap<IncomingMessage, Running>();
  let isClosed = false;
  const send = createProxyMiddleware({
    target: options.target.origin,
    changeOrigin: true,
    prependPath: false,
    selfHandleResponse: true,
    // The default plugins answer errors themselves, in plain text.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin],
    router: (request, _response, upstream) => {
      const { url, body } = found(running, request);
      // The body was read already; it is sent as it came.
      upstream.buffer = Readable.from(body === undefined ? [] : [body]);
      upstream.agent = agents.get(url.protocol);
      return url.origin;
    },
    on: {
      proxyReq: (upstream, request) => {
        limitConnect(upstream, options.connectMs);
        upstream.once('upgrade', (answer) => {
          answer.destroy();
          found(running, request).failed(noAnswer(answer));
        });
      },
      proxyRes: (answer, request, response) => {
        const forwarding = found(running, request);
        if ((answer.statusCode ?? 0) < 200) {
          answer.destroy();
          forwarding.failed(noAnswer(answer));
        } else if (REDIRECTS.includes(answer.statusCode ?? 0) && answer.headers.location !== undefined) {
          void follow(request, response, forwarding, answer);
        } else forwarding.answered(answer, forwarding.url);
      },
      error: (error, request, response) => fail(running.get(request), response, error),
      // The client has left.
      econnreset: () => undefined,
    },
  });
  const follow = async (
    request: IncomingMessage,
    response: ServerResponse,
    forwarding: Running,
    answer: IncomingMessage,
  ): Promise<void> => {
    const location = URL.parse(answer.headers.location ?? '', forwarding.url.href);
    const fault = findRedirectFault(forwarding.url, location, forwarding.hops);
    answer.resume();
    const isPossible = options.agent === undefined || location?.protocol === options.target.protocol;
    if (fault !== undefined || location === null || !isPossible) {
      forwarding.failed(redirectRefused(fault ?? `to ${location?.origin ?? 'no address'}`));
      return;
    }
    if (!agents.has(location.protocol)) {
      const opened = await openAgent(location);
      if (isClosed || response.destroyed) return;
      agents.set(location.protocol, opened);
    }
    forwarding.hops += 1;
    forwarding.url = location;
    request.url = location.pathname + location.search;
    void send(request, response);
  };
  return {
    forward: (request, response, forwarding) => {
      const { url, body, answered, failed } = forwarding;
      running.set(request, { url, body, answered, failed, hops: 0 });
      // Each hop adds listeners.
      response.setMaxListeners(100);
      request.setMaxListeners(100);
      request.url = forwarding.path;
      void send(request, response);
    },
    close: () => {
      isClosed = true;
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** What has no status of an answer is none: a status below 100 cannot even be passed on. */
function noAnswer({ statusCode }: IncomingMessage): PortolanError {
  return backendUnreachable(new Error(`the server answered with status ${statusCode}`));
}

function found<State>(running: WeakMap<IncomingMessage, State>, request: IncomingMessage): State {
  const forwarding = running.get(request);
  if (forwarding === undefined) throw new TypeError('a request is forwarded through `forward` only');
  return forwarding;
}

/** Without a bound on connections: each stream takes one, and none of them may wait for another. */
async function openAgent(target: URL): Promise<Agent> {
  const { Agent } = target.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Agent({
    keepAlive: true,
    maxSockets: Number.POSITIVE_INFINITY,
    maxFreeSockets: 16,
  });
}

function limitConnect(upstream: ClientRequest, connectMs: number): void {
  const { socket } = upstream;
  if (socket?.connecting !== true) return;
  const timer = setTimeout(() => upstream.destroy(backendTooSlow(connectMs)), connectMs);
  // Over TLS a connection is one only after the handshake.
  socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => clearTimeout(timer));
  socket.once('close', () => clearTimeout(timer));
}

function fail(forwarding: Running | undefined, response: unknown, error: Error): void {
  const isOver = isResponse(response) && (response.destroyed || response.headersSent);
  if (isOver) response.destroy();
  else forwarding?.failed(isPortolanError(error) ? error : backendUnreachable(error));
}

function isResponse(value: unknown): value is ServerResponse {
  return typeof value === 'object' && value !== null && 'headersSent' in value;
}
