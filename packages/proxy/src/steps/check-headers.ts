import { headerRepeated, upgradeNotPossible } from '../errors/request-errors.ts';
import { sessionIdMalformed } from '../errors/session-errors.ts';
import { headerOf, type Middleware } from '../request/request-state.ts';
import { isSessionId } from '../sessions/session-id.ts';

/** Headers that must not be repeated, because two programs could use different values. */
const SINGLE = new Set([
  'host',
  'origin',
  'authorization',
  'content-type',
  'content-length',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
]);

export const checkHeaders: Middleware = (ctx, next) => {
  const seen: string[] = [];
  let parameters: Set<string> | undefined;
  const { rawHeaders } = ctx.req;
  // Raw headers, in which Node.js has not joined or dropped any value.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = String(rawHeaders[at]).toLowerCase();
    if (SINGLE.has(name)) {
      if (seen.includes(name)) throw headerRepeated(name);
      seen.push(name);
    } else if (name.startsWith('mcp-param-')) {
      parameters ??= new Set();
      if (parameters.has(name)) throw headerRepeated(name);
      parameters.add(name);
    }
  }
  const sessionId = ctx.req.headers['mcp-session-id'];
  if (sessionId !== undefined && !isSessionId(headerOf(ctx, 'Mcp-Session-Id') ?? ''))
    throw sessionIdMalformed();
  const upgrade = ctx.get('Upgrade').toLowerCase();
  // Some HTTP clients offer HTTP/2 with every request, and work without it.
  if (upgrade !== '' && upgrade !== 'h2c') throw upgradeNotPossible();
  return next();
};
