import type { IncomingMessage } from 'node:http';

/** Calls back with all that is sent: without a promise, as fast as it can be done. */
export function collectBody(request: IncomingMessage, then: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => then(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
}
