import { messageTooLarge } from '../errors/request-errors.ts';
import type { Middleware } from '../request/request-state.ts';

/**
 * Refuses a body whose declared size is too large, before authentication; `readBody` refuses undeclared ones.
 */
export function checkSize(mostBytes: number): Middleware {
  return (ctx, next) => {
    if (Number(ctx.get('Content-Length')) > mostBytes) throw messageTooLarge(mostBytes);
    return next();
  };
}
