import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isLoopbackHost } from '@portolan/outbound';
import { type Logger, reserveDescriptors, PortolanError } from '@portolan/plugin-api';
import { announcedBytes } from './announced-bytes.ts';
import { rejectBadRequest, type RefusalListener, refuseTunnel } from './reject-bad-request.ts';

/** Time limits in milliseconds, and size limits. */
export interface ConnectionLimits {
  /** Maximum time from the first byte of a connection to the end of the request's headers. */
  readonly headersMs: number;
  readonly receiveMs: number;
  /** Maximum idle time of a connection between requests. */
  readonly keepAliveMs: number;
  /** Interval at which the limits above are checked. */
  readonly checkMs: number;
  /** Maximum time without progress while a response is sent. */
  readonly stalledMs: number;
  readonly headerBytes: number;
  /** Maximum body size. A request that announces more gets no `100 Continue`. */
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
  readonly address: string;
  readonly limits: ConnectionLimits;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => unknown;
  readonly refused: RefusalListener;
  readonly logger: Logger;
}

export interface Listener {
  /** Address for this machine, without a trailing slash; 127.0.0.1 for all interfaces. */
  readonly url: string;
  /** Bound `HOST:PORT`, such as `0.0.0.0:8080` or `[::]:8080`. */
  readonly address: string;
  /** Whether only programs on this machine reach the listener. */
  readonly isLoopback: boolean;
  /**
   * Closes the listener: idle connections at once, others after their response, and all of them after
   * `graceMs`.
   */
  close(graceMs: number): Promise<void>;
}

/** Opens a listener. Throws ERR_BAD_ARGUMENT, ERR_ADDRESS_IN_USE and ERR_ADDRESS_UNUSABLE. */
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
  // Unknown expectations may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', handle);
  server.on('connect', refuseTunnel(options.refused));
  server.on('clientError', rejectBadRequest(options.refused));
  const { name, logger } = options;
  // The internal listener may use half of what the public one leaves free.
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
    // The step `checkPath` checks the Host header and responds like all other errors.
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
  // SAFETY: it listens on a TCP port.
  const { address, port } = server.address() as AddressInfo;
  const bound = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  const coversAll = address === '0.0.0.0' || address === '::';
  return {
    url: `http://${coversAll ? `127.0.0.1:${port}` : bound}`,
    address: bound,
    isLoopback: isLoopbackHost(address),
  };
}

/** Maps connections to responses in progress. */
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
    for (const [socket, response] of this.#answers) endAfter(socket, response);
    const timer = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(timer);
  }
}

/** Closes a connection after the response in progress, or at once when there is no complete request. */
function endAfter(socket: Socket, response: ServerResponse | undefined): void {
  if (response === undefined || response.writableFinished) {
    socket.destroy();
    return;
  }
  if (!response.headersSent) response.setHeader('Connection', 'close');
  response.once('finish', () => socket.end());
}

interface Address {
  /** Undefined for all interfaces. */
  readonly host: string | undefined;
  /** 0 for any free port. */
  readonly port: number;
}

/**
 * Parses HOST:PORT. An empty host means all interfaces, and `localhost` means 127.0.0.1. IPv6 needs brackets.
 * Throws ERR_BAD_ARGUMENT.
 */
export function parseAddress(text: string): Address {
  const [, bracketed, bare, digits] =
    /^(?:\[([0-9A-Fa-f:.%\w]+)\]|([^:[\]\s]*)):([0-9]{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) throw addressInvalid(text);
  const host = bracketed ?? bare;
  if (host === undefined || host === '') return { host: undefined, port };
  return { host: host === 'localhost' ? '127.0.0.1' : host, port };
}

/** Creates the error for an address that another program or listener uses. */
function addressInUse(listener: string, address: string, remedy: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_ADDRESS_IN_USE',
    'conflict',
    `The address ${address} of the ${listener} listener is in use.`,
    {
      hint: `Stop the program that uses the address, or choose another address with ${remedy}.`,
      cause,
    },
  );
}

/** Creates the error for an address that is not of this machine, or that this user may not use. */
function addressUnusable(listener: string, address: string, remedy: string, cause: unknown): PortolanError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError(
    'ERR_ADDRESS_UNUSABLE',
    'fault',
    `The ${listener} listener cannot listen at ${address}: ${reason}.`,
    { hint: `Choose another address with ${remedy}.`, cause },
  );
}

/** Creates the error for a malformed listen address. */
function addressInvalid(actual: string): PortolanError {
  return new PortolanError(
    'ERR_BAD_ARGUMENT',
    'mistake',
    `Found ${JSON.stringify(actual)}; expected HOST:PORT.`,
    { hint: 'Write for example 127.0.0.1:8080, [::1]:8080, or :8080 for every interface.' },
  );
}
