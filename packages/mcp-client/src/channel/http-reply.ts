import { EventReader, type IncomingEvent, isEventStreamType } from '@portolan/mcp-protocol';
import { HttpFault } from './http-fault.ts';

/** An HTTP response whose body has not been read yet. */
export interface HttpReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Address that responded, after redirects. */
  readonly url: URL;
  /** Decompressed bytes. Ends when the body is complete, and throws when the connection broke. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the request, unless it is complete. Idempotent. */
  discard(): void;
}

/** Returns the value of a header that is allowed once. Undefined when it is missing or repeated. */
export function headerOf({ headers }: HttpReply, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Reads a response body. Throws when it is too long or truncated. */
export async function readBody(reply: HttpReply, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of reply.body) {
    length += chunk.length;
    if (length > maxBytes) {
      reply.discard();
      throw new HttpFault('invalid-response', `a response has more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}

/** Yields the events of a stream. Throws when an event is too long or the stream is truncated. */
export async function* readEvents({ body }: HttpReply, maxBytes: number): AsyncGenerator<IncomingEvent> {
  const reader = new EventReader(maxBytes);
  for await (const chunk of body)
    yield* reader.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
}

export function isEventStream({ headers }: HttpReply): boolean {
  const type = headers['content-type'];
  return isEventStreamType(typeof type === 'string' ? type : type?.[0]);
}
