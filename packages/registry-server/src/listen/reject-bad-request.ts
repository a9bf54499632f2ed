import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ConnectionRefusal {
  readonly requestId: string;
  readonly status: number;
  readonly code: string;
  readonly method: string;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly bytes: number;
}

export type RefusalListener = (refusal: ConnectionRefusal) => void;

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly error: string;
  readonly headers?: readonly string[];
}

/** Responses to unparsable requests, by the error code of Node.js's parser. */
const REFUSALS: ReadonlyMap<string, Refusal> = new Map([
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    { status: 408, code: 'ERR_REQUEST_TIMEOUT', error: 'The request took too long to arrive.' },
  ],
  [
    'HPE_HEADER_OVERFLOW',
    { status: 431, code: 'ERR_HEADERS_TOO_LARGE', error: 'The request head is too large.' },
  ],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    { status: 413, code: 'ERR_BODY_TOO_LARGE', error: 'The chunk extensions of the request are too large.' },
  ],
]);
const MALFORMED: Refusal = {
  status: 400,
  code: 'ERR_REQUEST_MALFORMED',
  error: 'This is no HTTP/1.1 request.',
};
const NO_TUNNEL: Refusal = {
  status: 405,
  code: 'ERR_METHOD_NOT_ALLOWED',
  error: 'CONNECT is not possible here: this is no proxy.',
  headers: ['Allow: GET, HEAD, OPTIONS'],
};

/** Responds to an unparsable request in the form of all other errors and closes the connection. */
export function rejectBadRequest(
  told: RefusalListener,
): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, REFUSALS.get(error.code ?? '') ?? MALFORMED, '', told);
  };
}

/** Refuses CONNECT requests, which Node.js passes on as bare connections. */
export function refuseTunnel(told: RefusalListener): (request: IncomingMessage, socket: Duplex) => void {
  return (_request, socket) => {
    // Node no longer handles errors of this connection.
    socket.on('error', () => socket.destroy());
    refuse(socket, NO_TUNNEL, 'CONNECT', told);
  };
}

function refuse(
  socket: Duplex,
  { status, code, error, headers = [] }: Refusal,
  method: string,
  told: RefusalListener,
): void {
  // After a partial response, the client would read an error response as part of it.
  const isStarted = 'bytesWritten' in socket && socket.bytesWritten !== 0;
  if (!socket.writable || isStarted) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const body = `${JSON.stringify({ error, code, requestId })}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${requestId}`,
    ...headers,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  const { remoteAddress = '', remotePort = 0 } = socket instanceof Socket ? socket : {};
  told({ requestId, status, code, method, remoteAddress, remotePort, bytes: Buffer.byteLength(body) });
}
