import type { Agent, ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable, Writable } from 'node:stream';
import { backendTooSlow } from '../../errors/backend-errors.ts';
import { followRedirect, isRedirect, statusError, toForwardError } from './forward-rules.ts';
import type { ResponseBody, Forwarder, ForwarderOptions, Forwarding } from './open-forwarder.ts';

interface Running {
  readonly forwarding: Forwarding;
  readonly url: URL;
  readonly hops: number;
}

type Send = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** An absent body is declared as length 0. */
const SAY_LENGTH: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Forwards requests other than MCP, such as pages. The first request loads http-proxy-middleware. */
export function openPageForwarder(options: ForwarderOptions): Forwarder {
  const running = new WeakMap<IncomingMessage, Running>();
  const agents = new Map<string, Agent>(
    options.agent === undefined ? [] : [[options.target.protocol, options.agent]],
  );
  let loaded: Promise<Send> | undefined;
  let isClosed = false;

  const go = async (response: ServerResponse, next: Running): Promise<void> => {
    const { req: request } = response;
    try {
      loaded ??= load(options, { running, agents, follow });
      const send = await loaded;
      const { protocol } = next.url;
      const agent = agents.get(protocol) ?? (await openAgent(protocol));
      if (isClosed || response.destroyed) {
        if (!agents.has(protocol)) agent.destroy();
        return;
      }
      agents.set(protocol, agents.get(protocol) ?? agent);
      running.set(request, next);
      setHeaders(request, next.forwarding);
      request.url = next.hops === 0 ? next.forwarding.path : next.url.pathname + next.url.search;
      await send(request, response);
    } catch (error) {
      fail(next, response, error);
    }
  };

  const follow = (response: ServerResponse, { forwarding, url, hops }: Running, location: string): void => {
    const to = followRedirect(url, location, hops, options);
    if (to instanceof URL) void go(response, { forwarding, url: to, hops: hops + 1 });
    else forwarding.failed(to);
  };

  return {
    forward: (response, forwarding) => {
      // Each redirect adds listeners.
      response.setMaxListeners(100);
      response.req.setMaxListeners(100);
      void go(response, { forwarding, url: forwarding.url, hops: 0 });
    },
    close: () => {
      isClosed = true;
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

interface Parts {
  readonly running: WeakMap<IncomingMessage, Running>;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly follow: (response: ServerResponse, running: Running, location: string) => void;
}

async function load(options: ForwarderOptions, { running, agents, follow }: Parts): Promise<Send> {
  const { createProxyMiddleware, proxyEventsPlugin } = await import('http-proxy-middleware');
  const runningOf = (request: IncomingMessage): Running => {
    const one = running.get(request);
    if (one === undefined) throw new TypeError('a request is forwarded through `forward` only');
    return one;
  };
  return createProxyMiddleware({
    target: options.target.origin,
    changeOrigin: true,
    prependPath: false,
    selfHandleResponse: true,
    // The default plugins respond to errors themselves, in plain text.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin],
    router: (request, _response, upstream) => {
      const { forwarding, url } = runningOf(request);
      upstream.buffer = Readable.from(forwarding.body === undefined ? [] : [forwarding.body]);
      upstream.agent = agents.get(url.protocol);
      return url.origin;
    },
    on: {
      proxyReq: (upstream, request) => {
        const { forwarding } = runningOf(request);
        // The library adds `Content-Length: 0` to every method; remove it where a request has no body.
        if (forwarding.body === undefined && !SAY_LENGTH.has(upstream.method))
          upstream.removeHeader('content-length');
        limitConnect(upstream, options.connectMs);
        upstream.once('upgrade', (response) => {
          response.destroy();
          forwarding.failed(statusError(response.statusCode));
        });
      },
      proxyRes: (reply, request, response) => receive(reply, response, runningOf(request), follow),
      error: (error, request, response) => {
        const one = running.get(request);
        if (one !== undefined && 'headersSent' in response) fail(one, response, error);
        else response.destroy();
      },
      econnreset: () => undefined,
    },
  });
}

function receive(
  reply: IncomingMessage,
  response: ServerResponse,
  running: Running,
  follow: Parts['follow'],
): void {
  const { statusCode: status = 0, headers } = reply;
  if (status < 200) {
    reply.destroy();
    running.forwarding.failed(statusError(reply.statusCode));
  } else if (isRedirect(status) && headers.location !== undefined) {
    reply.resume();
    follow(response, running, headers.location);
  } else {
    try {
      pass(reply, response, running);
    } catch (error) {
      reply.destroy();
      fail(running, response, error);
    }
  }
}

function pass(result: IncomingMessage, response: ServerResponse, { forwarding, url }: Running): void {
  const { statusCode: status = 0, statusMessage: reason = '', rawHeaders } = result;
  const sink = forwarding.answered({ status, reason, rawHeaders }, url);
  result.once('end', () => sink.trailers(result.rawTrailers));
  // After a disconnect, the client reads nothing more, but the stream of the server's response does not
  // notice.
  response.once('close', () => result.destroy());
  pipeline(result, toStream(sink.body), (error) => {
    if (error) response.destroy();
  });
}

function toStream(body: ResponseBody): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (body.write(chunk)) done();
      else body.once('drain', done);
    },
    final: (done) => {
      body.end();
      done();
    },
  });
}

/**
 * Replaces all headers of a request with those that the proxy created, because the library sends the headers
 * of this object.
 */
function setHeaders(request: IncomingMessage, { headers, body }: Forwarding): void {
  for (const name of Object.keys(request.headers)) delete request.headers[name];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    const before = request.headers[name];
    request.headers[name] = before === undefined ? value : [before, value].flat();
  }
  if (body !== undefined || SAY_LENGTH.has(request.method ?? ''))
    request.headers['content-length'] = String(body?.length ?? 0);
}

/**
 * Returns an agent without a limit of connections: each stream occupies one, and no request may wait for
 * another.
 */
async function openAgent(protocol: string): Promise<Agent> {
  const { Agent } = protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
}

function limitConnect(upstream: ClientRequest, connectMs: number): void {
  const { socket } = upstream;
  if (socket?.connecting !== true) return;
  const timer = setTimeout(() => upstream.destroy(backendTooSlow(connectMs)), connectMs);
  // Over TLS, a connection is usable only after the handshake.
  socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => clearTimeout(timer));
  socket.once('close', () => clearTimeout(timer));
}

function fail({ forwarding }: Running, response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.headersSent) response.destroy();
  else forwarding.failed(toForwardError(error));
}
