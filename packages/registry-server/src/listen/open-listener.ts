import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isLoopbackHost } from '@portolan/outbound';
import { type Logger, reserveDescriptors } from '@portolan/plugin-api';
import { addressInUse, addressUnusable } from './listen-errors.ts';
import { announcedBytes } from './announced-bytes.ts';
import { answerBadRequest, type RefusalListener, refuseTunnel } from './answer-bad-request.ts';
import { createServer } from './node-http.ts';
import { parseAddress } from './parse-address.ts';

/** Times in milliseconds. */
export interface ConnectionLimits {
  /** Most time from the first byte of a connection to the end of the request's head. */
  readonly headersMs: number;
  /** Most time to send a whole request. */
  readonly receiveMs: number;
  /** How long a connection may wait for its next request. */
  readonly keepAliveMs: number;
  /** How often the two times above are looked at. */
  readonly checkMs: number;
  /** How long a connection may stand still while it is answered. */
  readonly stalledMs: number;
  readonly headerBytes: number;
  /** Bodies above this are not asked for (`Expect: 100-continue`). */
  readonly bodyBytes: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 10_000,
  receiveMs: 15_000,
  keepAliveMs: 60_000,
  checkMs: 500,
  stalledMs: 30_000,
  headerBytes: 32 * 1024,
  bodyBytes: 1024 * 1024,
};

export interface ListenerOptions {
  readonly name: 'public' | 'internal';
  /** `HOST:PORT` */
  readonly address: string;
  readonly limits: ConnectionLimits;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => unknown;
  /** Told of what is answered without becoming a request. */
  readonly refused: RefusalListener;
  readonly logger: Logger;
}

export interface Listener {
  /** Address at which this machine reaches the listener, without a slash at its end: 127.0.0.1 for every interface. */
  readonly url: string;
  /** `HOST:PORT` that the socket is bound to, such as `0.0.0.0:8080` or `[::]:8080`. */
  readonly address: string;
  /** Whether only programs on this machine reach the listener. */
  readonly isLoopback: boolean;
  /**
   * Takes no more connections, closes those without a running request at once
   * and the others after their answer, but no later than after this time.
   */
  close(graceMs: number): Promise<void>;
}

/** Listens. Throws ERR_ADDRESS_INVALID, ERR_ADDRESS_IN_USE and ERR_ADDRESS_UNUSABLE. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const server = createHttpServer(options.limits);
  const connections = new Connections(server);
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    connections.answering(request.socket, response);
    return options.handle(request, response);
  };
  server.on('request', handle);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if ((announcedBytes(request) ?? 0) <= options.limits.bodyBytes) response.writeContinue();
    handle(request, response);
  });
  // An expectation nobody knows may be passed over (RFC 9110, section 10.1.1).
  server.on('checkExpectation', handle);
  server.on('connect', refuseTunnel(options.refused));
  server.on('clientError', answerBadRequest(options.refused));
  const { name, logger } = options;
  // Connections of the internal listener may use half of what those of the public one leave.
  reserveDescriptors(server, { listener: name, logger, shareOfReserve: name === 'internal' ? 0.5 : 0 });
  await listen(server, options);
  return { ...describeAddress(server), close: (graceMs) => connections.close(graceMs) };
}

function createHttpServer(limits: ConnectionLimits): Server {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: Math.max(limits.receiveMs, limits.headersMs),
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    maxHeaderSize: limits.headerBytes,
    // A step answers it, in the form of all other errors.
    requireHostHeader: false,
    noDelay: true,
  });
  server.timeout = limits.stalledMs;
  return server;
}

function listen(server: Server, { name, address }: ListenerOptions): Promise<void> {
  const { host, port } = parseAddress(address);
  const remedy =
    name === 'public' ? '--address (server.address)' : '--internal-address (server.internalAddress)';
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const make = error.code === 'EADDRINUSE' ? addressInUse : addressUnusable;
      reject(make(name, address, remedy, error));
    };
    server.once('error', fail);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function describeAddress(server: Server): Pick<Listener, 'url' | 'address' | 'isLoopback'> {
  // SAFETY: it listens, and not on a pipe.
  const { address, port } = server.address() as AddressInfo;
  const bound = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  const coversAll = address === '0.0.0.0' || address === '::';
  return {
    url: `http://${coversAll ? `127.0.0.1:${port}` : bound}`,
    address: bound,
    isLoopback: isLoopbackHost(address),
  };
}

/** The connections of a server, each with the answer it is busy with. */
class Connections {
  readonly #server: Server;
  readonly #answers = new Map<Socket, ServerResponse | undefined>();
  #closing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#answers.set(socket, undefined);
      socket.once('close', () => this.#answers.delete(socket));
    });
  }

  answering(socket: Socket, response: ServerResponse): void {
    this.#answers.set(socket, response);
    if (this.#closing) response.setHeader('Connection', 'close');
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const [socket, answer] of this.#answers) endAfter(socket, answer);
    const timer = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(timer);
  }
}

/** Ends a connection when it has been answered; at once when no request runs on it, half-sent ones included. */
function endAfter(socket: Socket, answer: ServerResponse | undefined): void {
  if (answer === undefined || answer.writableFinished) {
    socket.destroy();
    return;
  }
  if (!answer.headersSent) answer.setHeader('Connection', 'close');
  answer.once('finish', () => socket.end());
}
