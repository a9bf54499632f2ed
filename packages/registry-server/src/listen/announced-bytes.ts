import type { IncomingMessage } from 'node:http';

/**
 * Bytes of the body still to come, as announced; undefined when the sender does
 * not say (chunked).
 */
export function announcedBytes(request: IncomingMessage): number | undefined {
  if (request.headers['transfer-encoding'] !== undefined) return undefined;
  return Number(request.headers['content-length'] ?? 0);
}
