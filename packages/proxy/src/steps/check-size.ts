import { messageTooLarge } from '../errors/request-errors.ts';
import type { Middleware } from '../request/request-state.ts';

/** Refuses what says of itself that it is too large, before anybody looks at who asks; `readBody` refuses what does not say so. */
export function checkSize(mostBytes: number): Middleware {
  return (ctx, next) => {
    if (Number(ctx.get('Content-Length')) > mostBytes) throw messageTooLarge(mostBytes);
    return next();
  };
}
