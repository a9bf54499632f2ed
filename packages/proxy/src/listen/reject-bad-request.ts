import { STATUS_CODES } from 'node:http';
import { writeError } from '@portolan/mcp-protocol';
import type { Duplex } from 'node:stream';

const STATUSES: ReadonlyMap<string, number> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_HEADER_OVERFLOW', 431],
]);

export function answerBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
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
