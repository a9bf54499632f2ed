import type { IncomingMessage } from 'node:http';

/** Returns undefined for chunked bodies. */
export function announcedBytes(request: IncomingMessage): number | undefined {
  if (request.headers['transfer-encoding'] !== undefined) return undefined;
  return Number(request.headers['content-length'] ?? 0);
}
