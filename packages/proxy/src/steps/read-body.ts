import { messageTooLarge } from '../errors/request-errors.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';

export function readBody(maxBytes: number, checkPost?: (ctx: RequestContext) => void): Middleware {
  return async (ctx, next) => {
    if (ctx.method === 'POST') checkPost?.(ctx);
    if (hasBody(ctx)) ctx.state.body = await collect(ctx, maxBytes);
    await next();
  };
}

function hasBody({ req }: RequestContext): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

async function collect({ req }: RequestContext, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let hasEnded = false;
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      req.off('data', take);
      reject(messageTooLarge(maxBytes));
    };
    req.on('data', take);
    req.once('end', () => {
      hasEnded = true;
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    req.once('error', reject);
    req.once('close', () => {
      // An error after the end is expensive and would be unhandled.
      if (!hasEnded) reject(new Error('the client disconnected before its message was complete'));
    });
  });
}
