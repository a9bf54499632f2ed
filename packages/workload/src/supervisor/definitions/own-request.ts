import { HttpFault, type HttpQuestion, type HttpReply, type HttpRequest } from '@portolan/mcp-client';
import { OWN_REQUEST_HEADER, type OwnRequests } from '@portolan/mcp-protocol';
import { joinAddress } from '@portolan/plugin-api';
import { request as openRequest, type IncomingMessage } from 'node:http';

export interface OwnRequestOptions {
  readonly ownRequests: OwnRequests;
  /** Prefix of the paths that clients behind a reverse proxy use. Local requests leave it out. */
  readonly endpointPrefix: string;
}

/**
 * Returns a function that sends requests to the workload's own proxy. Each request has a one-time key, with which it
 * bypasses the login and the middleware. The function rejects with an `HttpFault` when the proxy is unreachable.
 */
export function sendOwnRequests({ ownRequests, endpointPrefix }: OwnRequestOptions): HttpRequest {
  return async (question) => {
    const url = withoutPrefix(question.url, endpointPrefix);
    const { method, headers, body } = question;
    const key = ownRequests.makeKey({
      method,
      target: url.pathname + url.search,
      session: headers['mcp-session-id'],
      body,
      bypassesMiddleware: true,
    });
    const response = await send(url, question, key);
    return toReply(response, question.url);
  };
}

function send(url: URL, question: HttpQuestion, key: string): Promise<IncomingMessage> {
  const { method, headers, body, signal } = question;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = openRequest(url, {
    method,
    signal,
    agent: false,
    headers: { ...headers, [OWN_REQUEST_HEADER]: key },
  });
  request.once('response', resolve).once('error', (error: Error) => {
    reject(new HttpFault('unreachable', error.message, { cause: error }));
  });
  request.end(body);
  return promise;
}

function toReply(response: IncomingMessage, url: URL): HttpReply {
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    url,
    body: response,
    discard: () => response.destroy(),
  };
}

function withoutPrefix(url: URL, endpointPrefix: string): URL {
  const prefix = endpointPrefix.replace(/\/$/, '');
  if (prefix === '' || !url.pathname.startsWith(`${prefix}/`)) return url;
  return joinAddress(url, url.pathname.slice(prefix.length) + url.search);
}
