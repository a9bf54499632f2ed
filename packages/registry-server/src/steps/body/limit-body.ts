import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { bodyTooLarge } from '../../errors.ts';
import { announcedBytes } from '../../listen/announced-bytes.ts';
import type { Middleware, RequestContext } from '../../request/request-state.ts';

export interface BodyLimits {
  /** Maximum size of a body, and of an unread body that is discarded while the connection stays open. */
  readonly bytes: number;
  /** Milliseconds for which the rest of a body is discarded, so that the client reads the response. */
  readonly lingerMs: number;
}

/**
 * Keeps clients from occupying a connection with a body that no step reads: it discards the rest for a short
 * time and closes the connection.
 */
export function closeUnreadBody(limits: BodyLimits): Middleware {
  return (ctx, next) => {
    const bytes = announcedBytes(ctx.req);
    // Node discards a small body by itself.
    if (bytes !== undefined && bytes <= limits.bytes) return next();
    ctx.set('Connection', 'close');
    return answerAndLinger(ctx, next, limits);
  };
}

/** Throws ERR_BODY_TOO_LARGE for a body with an excessive announced size, before reading any of it. */
export function refuseLargeBody({ bytes }: BodyLimits): Middleware {
  return (ctx, next) => {
    const announced = announcedBytes(ctx.req) ?? 0;
    if (announced > bytes) throw bodyTooLarge(announced, bytes);
    return next();
  };
}

async function answerAndLinger(
  ctx: RequestContext,
  next: () => Promise<unknown>,
  limits: BodyLimits,
): Promise<void> {
  await next();
  const { body } = ctx;
  if ((typeof body !== 'string' && !Buffer.isBuffer(body)) || ctx.method === 'HEAD' || ctx.req.complete)
    return;
  const length = Buffer.byteLength(body);
  // Only the end of the response, which closes the connection, is delayed. Closing at once would reset the
  // connection, and the client could lose the unread response.
  ctx.body = Readable.from(answerThenDiscard(body, ctx.req, limits.lingerMs));
  ctx.length = length;
}

async function* answerThenDiscard(body: string | Buffer, request: IncomingMessage, lingerMs: number) {
  yield body;
  await discard(request, lingerMs);
}

/** Discards the rest of a body until the data ends or the time is over. */
function discard(request: IncomingMessage, lingerMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, lingerMs);
    function finish(): void {
      clearTimeout(timer);
      request.pause();
      resolve();
    }
    request.once('end', finish).once('close', finish).once('error', finish);
    request.resume();
  });
}
