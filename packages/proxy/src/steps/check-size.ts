import { messageTooLarge } from '../errors/request-errors.ts';
import type { Middleware } from '../request/request-state.ts';

/** Checks the declared size before authentication; `readBody` the real one. */
export function checkSize(maxBytes: number): Middleware {
  return (ctx, next) => {
    if (Number(ctx.get('Content-Length')) > maxBytes) throw messageTooLarge(maxBytes);
    return next();
  };
}
