import { EventReader, type IncomingEvent, MESSAGE_TYPES, isEventStreamType } from '@portolan/mcp-protocol';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { MAX_MESSAGE_BYTES } from './stdio-client-options.ts';

export interface Sent {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Sends a request to the proxy over a new connection, because a reused one may be closing. */
export async function sendToProxy(
  url: URL,
  { method, headers, body, signal }: Sent,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = openRequest(url, {
    method,
    signal,
    agent: false,
    headers: {
      Accept: method === 'GET' ? 'text/event-stream' : MESSAGE_TYPES,
      ...(body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
      ...headers,
    },
  });
  request.once('response', resolve).on('error', reject);
  request.end(body);
  return await promise;
}

/** Reads a response body. Throws when it is too long or truncated. */
export async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    const bytes = chunk as Buffer; // no encoding is set
    length += bytes.length;
    if (length > MAX_MESSAGE_BYTES) throw new Error(`a response has more than ${MAX_MESSAGE_BYTES} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}

/** Yields the events of a stream. Throws when an event is too long or the stream is truncated. */
export async function* readEvents(response: IncomingMessage): AsyncGenerator<IncomingEvent> {
  const reader = new EventReader(MAX_MESSAGE_BYTES);
  for await (const chunk of response) yield* reader.push(chunk as Buffer); // no encoding is set
}

export function isEventStream({ headers }: IncomingMessage): boolean {
  return isEventStreamType(headers['content-type']);
}

/** Returns whether the request failed before anything could have received it. */
export function isNobodyThere(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'EADDRNOTAVAIL';
}
