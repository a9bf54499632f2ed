import { hostMissing, pathMalformed } from '../errors.ts';
import { decodeComponent } from '../parameters/query-text.ts';
import type { Middleware } from '../request-state.ts';

/** Refuses what the router would pass on as it came: malformed percent escapes, and HTTP/1.1 without Host. */
export const checkPath: Middleware = (ctx, next) => {
  const { req, state } = ctx;
  const { path } = state;
  if (path.includes('%') && decodeComponent(path) === undefined) throw pathMalformed(path);
  if (req.headers.host === undefined && req.httpVersion === '1.1') throw hostMissing();
  return next();
};
