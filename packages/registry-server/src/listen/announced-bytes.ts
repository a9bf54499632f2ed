import type { IncomingMessage } from 'node:http';

/** Returns the body size in the `Content-Length` header. Undefined for a chunked body. */
export function announcedBytes(request: IncomingMessage): number | undefined {
  if (request.headers['transfer-encoding'] !== undefined) return undefined;
  return Number(request.headers['content-length'] ?? 0);
}
