import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { bodyTooLarge } from '../errors.ts';
import { announcedBytes } from '../listen/announced-bytes.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';

export interface BodyLimits {
  /** Largest body that is taken, or thrown away with the connection kept. */
  readonly bytes: number;
  /** How long the rest of a body is thrown away after the answer, so that its sender comes to read the answer. */
  readonly lingerMs: number;
}

/**
 * Keeps a sender from tying up a connection with a body nobody reads: after the
 * answer to a body that is too large, or of unknown size, the rest is thrown
 * away for a short time and the connection closed.
 */
export function closeUnreadBody(limits: BodyLimits): Middleware {
  return (ctx, next) => {
    const bytes = announcedBytes(ctx.req);
    // Node throws a small body away by itself, within the time-out for requests.
    if (bytes !== undefined && bytes <= limits.bytes) return next();
    ctx.set('Connection', 'close');
    return answerAndLinger(ctx, next, limits);
  };
}

/** Throws ERR_BODY_TOO_LARGE for a body that is announced as too large, before a byte of it is read. */
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
  // The whole answer goes out at once; only its end, which closes the connection, waits. Closing at once would
  // reset the connection, and the sender could lose the answer it has not read yet.
  ctx.body = Readable.from(answerThenDiscard(body, ctx.req, limits.lingerMs));
  ctx.length = length;
}

async function* answerThenDiscard(body: string | Buffer, request: IncomingMessage, lingerMs: number) {
  yield body;
  await discard(request, lingerMs);
}

/** Reads and forgets what still comes, until it ends or the time is over. */
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
