import { hostMissing, hostRepeated, pathMalformed, targetMalformed } from '../errors.ts';
import { countHosts } from '../listen/request-target.ts';
import { decodeComponent } from '../parameters/query-text.ts';
import type { Middleware } from '../request/request-state.ts';

/**
 * Refuses what the router would accept: targets that are no address, malformed escapes, and requests without
 * exactly one Host.
 */
export const checkPath: Middleware = ({ req, state }, next) => {
  const { path } = state;
  if (!path.startsWith('/') && path !== '*') throw targetMalformed(path);
  if (path.includes('%') && decodeComponent(path) === undefined) throw pathMalformed(path);
  const hosts = countHosts(req);
  if (hosts > 1) throw hostRepeated();
  if (hosts === 0 && req.httpVersion === '1.1') throw hostMissing();
  return next();
};
