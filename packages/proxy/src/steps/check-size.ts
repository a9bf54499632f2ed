import { messageTooLarge } from '../errors/request-errors.ts';
import type { Middleware } from '../request/request-state.ts';

/** Rejects a request by its declared size before authentication. `readBody` checks the actual size. */
export function checkSize(maxBytes: number): Middleware {
  return (ctx, next) => {
    if (Number(ctx.get('Content-Length')) > maxBytes) throw messageTooLarge(maxBytes);
    return next();
  };
}
