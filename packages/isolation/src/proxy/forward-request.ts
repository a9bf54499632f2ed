import {
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { type EgressTarget, parseEgressHost, writeHost } from '@portolan/outbound';
import { type EgressRefusal, failureCode, refuse } from '../policy/egress-event.ts';
import type { EgressJudge, Passage } from '../policy/egress-judge.ts';
import { dropHopByHop, type HeaderFields, readRawHeaders, rebuildRequestHeaders } from './forward-headers.ts';
import type { Outcome } from './open-tunnel.ts';
import { describeFailure, describeRefusal, type RefusalResponse } from './refusal-response.ts';
import { proxyAuthorization } from '../policy/upstream-proxy.ts';

/**
 * Handles a request in absolute form (`GET http://api.acme.example/v1`). Decides about each request of a
 * connection separately, and sends a new request built from the URL. Resolves when the decision is final,
 * possibly before the response is complete.
 */
export async function forwardRequest(
  judge: EgressJudge,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Outcome> {
  const read = readRequest(request);
  if ('reason' in read) return { target: undefined, decision: respond(response, read) };
  const { target } = read;
  // The client may leave during the decision, since a name lookup can take long.
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const passage = await judge.decide(target, false);
  if (!passage.allowed) return { target, decision: respond(response, passage) };
  try {
    const sent = await send(judge, passage, read, gone.signal);
    if ('reason' in sent) return { target, decision: respond(response, sent) };
    await exchange(request, response, sent);
    return { target, decision: passage };
  } catch (error) {
    const failure = failureCode(error);
    tell(response, describeFailure(target.host.text, failure));
    return { target, decision: { ...passage, failure } };
  }
}

interface Rebuilt {
  readonly method: string;
  readonly target: EgressTarget;
  readonly url: URL;
  readonly headers: HeaderFields;
}

function readRequest({
  method = 'GET',
  url: written = '',
  rawHeaders,
}: IncomingMessage): Rebuilt | EgressRefusal {
  // Reads the authority as written, before the URL parser drops a default port or a user.
  const [, authority = ''] = /^http:\/\/([^/?#\\]*)/i.exec(written) ?? [];
  const [, hostPart = '', digits] = /^(\[[^\]]*\]|[^:@]*)(?::(\d{0,5}))?$/.exec(authority) ?? [];
  const host = parseEgressHost(hostPart);
  const url = URL.parse(written);
  if (hostPart === '' || url === null || url.protocol !== 'http:')
    return refuse('request-invalid', 'expected CONNECT, or a request with a whole http:// URL');
  if (host === undefined || parseEgressHost(url.hostname)?.text !== host.text)
    return refuse('host-invalid', 'the URL names no host');
  const port = digits === undefined || digits === '' ? 80 : Number(digits);
  if (port < 1 || port > 65_535) return refuse('host-invalid', 'the URL names no port');
  const authorityOfHost = port === 80 ? writeHost(host) : `${writeHost(host)}:${port}`;
  const headers = rebuildRequestHeaders(method, readRawHeaders(rawHeaders), authorityOfHost);
  if (headers === undefined) return refuse('request-invalid', 'the body is encoded for the connection');
  return { method, target: { host, port }, url, headers };
}

/** Sends the headers only after the connection has passed all checks. */
async function send(
  judge: EgressJudge,
  passage: Passage,
  { method, target, url, headers }: Rebuilt,
  signal: AbortSignal,
): Promise<ClientRequest | EgressRefusal> {
  const path = `${url.pathname}${url.search}`;
  if (passage.route === 'upstream' && passage.target.host.kind === 'name') {
    const { proxy } = passage;
    const authorization = proxyAuthorization(proxy);
    const fields: HeaderFields =
      authorization === undefined ? headers : [...headers, ['Proxy-Authorization', authorization]];
    const secure = proxy.protocol === 'https:';
    return (secure ? httpsRequest : httpRequest)({
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy.port === '' ? (secure ? 443 : 80) : Number(proxy.port),
      method,
      path: `http://${writeHost(target.host)}:${target.port}${path}`,
      headers: fields.flat(),
      agent: false,
      signal,
    });
  }
  const connection = await judge.open(passage, signal);
  if ('reason' in connection) return connection;
  const socket: Duplex = connection;
  return httpRequest({ method, path, headers: headers.flat(), createConnection: () => socket, signal });
}

/** Resolves when the response has started. */
function exchange(request: IncomingMessage, response: ServerResponse, sent: ClientRequest): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  sent.once('error', (error) => {
    if (response.headersSent) response.destroy();
    reject(error);
  });
  sent.once('close', () => reject(new Error('The server closed the connection without a response')));
  sent.once('response', (received) => {
    try {
      const passed = dropHopByHop(readRawHeaders(received.rawHeaders));
      response.writeHead(received.statusCode ?? 502, received.statusMessage, passed.flat());
    } catch (error) {
      received.destroy();
      reject(
        error instanceof Error ? error : new Error('The response cannot be forwarded', { cause: error }),
      );
      return;
    }
    received.once('error', () => response.destroy()).once('aborted', () => response.destroy());
    received.pipe(response);
    resolve();
  });
  request.once('error', () => sent.destroy());
  request.pipe(sent);
  return promise;
}

function respond(response: ServerResponse, refusal: EgressRefusal): EgressRefusal {
  tell(response, describeRefusal(refusal));
  return refusal;
}

function tell(response: ServerResponse, { status, phrase, headers, body }: RefusalResponse): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.writeHead(status, phrase, headers).end(body);
}
