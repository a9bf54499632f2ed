import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type Koa from 'koa';
import type { Middleware, RequestState } from '../request/request-state.ts';

/** A request that is handled in this process, without a connection. */
export interface InnerRequest {
  readonly method: string;
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Request that caused this one. Its connection defines sender and HTTP version. */
  readonly outer: IncomingMessage;
}

export interface InProcessResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const INNER = new WeakSet<IncomingMessage>();

/** Handles a request with the HTTP application, without a connection. */
export async function answerInProcess(
  app: Koa<RequestState, object>,
  steps: readonly Middleware[],
  request: InnerRequest,
): Promise<InProcessResponse> {
  const incoming = incomingOf(request);
  const response = new ServerResponse(incoming);
  response.statusCode = 404; // Koa's initial status
  // SAFETY: the first step initializes the state, as in `createApp`.
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
  // SAFETY: steps use only these properties, and the message destroys the connection only when incomplete.
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

/**
 * Returns whether a request was made by a page in this process, so that its response is never sent over the
 * network.
 */
export function isInProcess(request: IncomingMessage): boolean {
  return INNER.has(request);
}

async function textOf(body: unknown): Promise<string> {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  if (Buffer.isBuffer(body)) return body.toString();
  return body instanceof Readable ? await text(body) : JSON.stringify(body);
}
