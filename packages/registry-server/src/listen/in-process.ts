import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type Koa from 'koa';
import type { Middleware, RequestState } from '../request/request-state.ts';

/** A request without a connection. */
export interface InnerRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Default: no body. */
  readonly body?: string | undefined;
  /** The HTTP request that causes this one. Sender and HTTP version are those of its connection. */
  readonly outer: IncomingMessage;
}

export interface InnerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const INNER = new WeakSet<IncomingMessage>();

/** Handles a request through these steps, like an HTTP application but without a connection. */
export async function answerInProcess(
  app: Koa<RequestState, object>,
  steps: readonly Middleware[],
  request: InnerRequest,
): Promise<InnerAnswer> {
  const incoming = incomingOf(request);
  const response = new ServerResponse(incoming);
  response.statusCode = 404; // Koa's initial status
  // SAFETY: the first step initializes the context's state, as in `createApp`.
  const ctx = app.createContext(incoming, response) as Parameters<Middleware>[0];
  const run = async (at: number): Promise<unknown> => await steps[at]?.(ctx, () => run(at + 1));
  await run(0);
  const headers = Object.entries(response.getHeaders()).map(
    ([name, value]) => [name, String(value)] as const,
  );
  return { status: response.statusCode, headers: Object.fromEntries(headers), text: await textOf(ctx.body) };
}

/** Creates a message like that of Node's parser. */
function incomingOf({ method, target, headers, body = '', outer }: InnerRequest): IncomingMessage {
  const { remoteAddress, remotePort, localAddress, localPort } = outer.socket;
  const place = {
    remoteAddress,
    remotePort,
    localAddress,
    localPort,
    encrypted: 'encrypted' in outer.socket,
  };
  // SAFETY: steps use only these properties of a connection, and the message destroys it only when
  // incomplete.
  const incoming = new IncomingMessage(place as unknown as Socket);
  const bytes = Buffer.byteLength(body);
  const all = body === '' ? headers : { ...headers, 'content-length': String(bytes) };
  incoming.method = method;
  incoming.url = target;
  incoming.headers = { ...all };
  incoming.rawHeaders = Object.entries(all).flat();
  incoming.httpVersion = outer.httpVersion;
  incoming.httpVersionMajor = outer.httpVersionMajor;
  incoming.httpVersionMinor = outer.httpVersionMinor;
  if (body !== '') incoming.push(body);
  incoming.push(null);
  incoming.complete = true;
  INNER.add(incoming);
  return incoming;
}

/** Returns whether a page of this server sent the request, so that its response stays inside the process. */
export function isInProcess(request: IncomingMessage): boolean {
  return INNER.has(request);
}

/** Returns the text that Koa would send. */
async function textOf(body: unknown): Promise<string> {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  if (Buffer.isBuffer(body)) return body.toString();
  return body instanceof Readable ? await text(body) : JSON.stringify(body);
}
