import {
  connectHttp,
  type ConnectionLimits,
  type HttpConnectionOptions,
  type HttpFault,
  isPassable,
} from '@portolan/mcp-client';
import { findHeaderFault, openUpstream } from '@portolan/outbound';
import {
  type ClientRequest,
  type ForwardedHeader,
  type HttpBackend,
  joinAddress,
  type MessageBackend,
  type MessageSender,
} from '@portolan/plugin-api';
import { forwardedHeaderRestricted } from '../errors/backend-errors.ts';
import { clientPathOf } from '../request/client-path.ts';
import { checkForwardedHeader } from '../request/forward-headers.ts';
import type { PlacedProxyMiddleware } from '../request/placed-middleware.ts';
import { PROXY_LIMITS } from '../request/proxy-limits.ts';
import { collectCredentials, hasCredentials } from '../transparent/forward/ask-credentials.ts';
import { requestUpstream } from './request-upstream.ts';

export interface HttpBackendOptions {
  /** Version of Portolan, for its own requests. */
  readonly version: string;
  /** Name of the server at the beginning of messages. Default: `The server`. */
  readonly name?: string;
  /** Client headers that the server gets. Names of credentials and of the connection are an error. */
  readonly passHeaders?: readonly string[];
  /** Middleware with `credentials`, which gets the exchange of each message's sender. */
  readonly middleware?: readonly PlacedProxyMiddleware[];
  /** Called once for each request that is not cancelled, when it is over. */
  readonly settled?: (outcome: 'responded' | HttpFault, sender: MessageSender | undefined) => void;
  readonly tell?: (line: string) => void;
  readonly connectMs?: number;
  readonly limits?: Partial<ConnectionLimits>;
}

export interface OpenHttpBackend {
  readonly backend: MessageBackend;
  /** Closes the HTTP connections, also those in use. Does not close credentials and agent. */
  close(): Promise<void>;
}

/**
 * Opens an HTTP server as a backend of messages: each connection is a session with the server. Redirects,
 * credentials and addresses follow the rules of the reverse proxy. Throws ERR_FORWARDED_HEADER_INVALID and
 * ERR_FORWARDED_HEADER_RESTRICTED.
 */
export async function openHttpBackend(
  server: HttpBackend,
  options: HttpBackendOptions,
): Promise<OpenHttpBackend> {
  const { transport, agent, forwardHeaders = [], credentials, renewal } = server;
  const { version, name = 'The server', settled, tell, limits } = options;
  const { connectMs = PROXY_LIMITS.connectMs } = options;
  for (const header of forwardHeaders) checkForwardedHeader(header);
  const target = addressOf(server);
  const upstream = await openUpstream({ connectMs, agent });
  return {
    backend: {
      carries: 'messages',
      mode: 'streamable-http',
      sessions: 'own',
      openConnection: connectHttp({
        url: target,
        transport,
        name,
        version,
        request: requestUpstream(upstream, { target, connectMs, agent }),
        headers: forwardHeaders,
        ...headersFor(server, options),
        ...(credentials?.refused === undefined
          ? {}
          : { refused: async (sent, refusal) => (await credentials.refused?.(sent, refusal)) === true }),
        ...(renewal === undefined ? {} : { renewal }),
        ...(settled === undefined ? {} : { settled }),
        ...(tell === undefined ? {} : { tell }),
        ...(limits === undefined ? {} : { limits }),
      }),
    },
    close: () => upstream.close(),
  };
}

function addressOf(server: HttpBackend): URL {
  return server.isRemote
    ? server.target
    : joinAddress(server.target, server.endpoint ?? clientPathOf(server));
}

function headersFor(
  { credentials: backend }: HttpBackend,
  { passHeaders = [], middleware = [] }: HttpBackendOptions,
): Pick<HttpConnectionOptions, 'headersFor'> {
  const names = passHeaders.map((name) => name.toLowerCase());
  for (const name of names) if (!isPassable(name)) throw forwardedHeaderRestricted(name);
  const proving = middleware.filter(({ instance }) => instance.credentials !== undefined);
  const sources = { backend, policy: { proving } };
  if (names.length === 0 && !hasCredentials(sources)) return {};
  return {
    headersFor: async (outgoing, sender, signal) => {
      const exchange = sender?.exchange;
      const passed = exchange === undefined ? [] : passedHeaders(exchange.request, names);
      const known = exchange === undefined ? undefined : { ...exchange, message: undefined };
      return { credentials: await collectCredentials(sources, outgoing, known, signal), passed };
    },
  };
}

/** Returns the headers of a client that it may pass on. Those that its connection names are not among them. */
function passedHeaders({ headers }: ClientRequest, names: readonly string[]): readonly ForwardedHeader[] {
  const ofConnection = String(headers['connection'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  return names.flatMap((name) => {
    const value = headers[name];
    const isSent = typeof value === 'string' && !ofConnection.includes(name);
    return isSent && findHeaderFault(name, value) === undefined ? [{ name, value }] : [];
  });
}
