import { MESSAGE_TYPES } from '@portolan/mcp-protocol';
import { type IncomingMessage, request as openRequest } from 'node:http';
import type { HttpReply } from '../channel/http-reply.ts';

export interface Sent {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Sends a request to the proxy over a new connection, because a reused one may be closing. */
export async function sendToProxy(url: URL, { method, headers, body, signal }: Sent): Promise<HttpReply> {
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
  const response = await promise;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    url,
    body: response,
    discard: () => void response.destroy(),
  };
}

/** Returns whether the request failed before anything could have received it. */
export function isNobodyThere(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'EADDRNOTAVAIL';
}
