import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Logger, reserveDescriptors } from '@portolan/plugin-api';
import { proxyAddressUnusable, proxyPortInUse } from '../errors/listener-errors.ts';
import { writeError } from '@portolan/mcp-protocol';
import type { Duplex } from 'node:stream';

const STATUSES: ReadonlyMap<string, number> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_HEADER_OVERFLOW', 431],
]);

function rejectBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Whether a response has begun. If so, the client would read a second response as part of it.
  const hasBegun = 'bytesWritten' in socket && socket.bytesWritten !== 0;
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) {
    socket.destroy();
    return;
  }
  const status = STATUSES.get(error.code ?? '') ?? 400;
  const body = writeError(undefined, { code: -32600, message: String(STATUS_CODES[status]) });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Timeouts in milliseconds. */
export interface ListenerLimits {
  readonly headersMs: number;
  readonly receiveMs: number;
  /** Idle timeout of a connection. With Node's 5 seconds, clients often reuse a closing connection. */
  readonly keepAliveMs: number;
  readonly checkMs: number;
}

export const LISTENER_LIMITS: ListenerLimits = {
  headersMs: 10_000,
  receiveMs: 30_000,
  keepAliveMs: 120_000,
  checkMs: 1000,
};

export interface Listener {
  readonly port: number;
  stop(): void;
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly limits: ListenerLimits;
  readonly logger: Logger;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => unknown;
}

/** Throws ERR_PROXY_PORT_IN_USE and ERR_ADDRESS_UNUSABLE. */
export async function openListener(options: ListenOptions): Promise<Listener> {
  const server = createHttpServer(options);
  reserveDescriptors(server, { listener: 'workload', logger: options.logger });
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await listen(server, options);
  // SAFETY: it listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const closed = Promise.withResolvers<void>();
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    server.close(() => closed.resolve());
    server.closeIdleConnections();
  };
  const close = async (): Promise<void> => {
    stop();
    for (const socket of connections) socket.destroy();
    await closed.promise;
  };
  return { port, stop, close };
}

function createHttpServer({ limits, handle }: ListenOptions): Server {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: Math.max(limits.receiveMs, limits.headersMs),
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    noDelay: true,
  });
  // Event streams may be silent for any time.
  server.timeout = 0;
  server.on('request', handle);
  server.on('clientError', rejectBadRequest);
  server.on('connect', (_request: IncomingMessage, socket: Socket) => socket.destroy());
  return server;
}

function listen(server: Server, { host, port }: ListenOptions): Promise<void> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      reject(
        error.code === 'EADDRINUSE' ? proxyPortInUse(address, error) : proxyAddressUnusable(address, error),
      );
    };
    server.once('error', fail);
    server.listen({ port, host: host === 'localhost' ? '127.0.0.1' : host }, () => {
      server.off('error', fail);
      resolve();
    });
  });
}
