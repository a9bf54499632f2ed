import { isModern } from '@portolan/mcp-protocol';
import { methodNotPossible } from '../../errors/request-errors.ts';
import { headerOf, type Middleware } from '../../request/request-state.ts';

const LEGACY_METHODS = ['GET', 'HEAD', 'DELETE'];
const METHODS = ['POST', 'GET', 'DELETE', 'HEAD', 'OPTIONS'];
const STATELESS_METHODS = ['POST'];

/**
 * Refuses HTTP methods that MCP does not use. TRACE, for example, would show a client the headers that the
 * proxy adds.
 */
export function checkMethod(isStateless: boolean): Middleware {
  const methods = isStateless ? STATELESS_METHODS : METHODS;
  return (ctx, next) => {
    const version = headerOf(ctx, 'MCP-Protocol-Version');
    // A request by GET or DELETE, for a stream or session, needs a revision with a handshake.
    if (LEGACY_METHODS.includes(ctx.method) && version !== undefined && isModern(version)) {
      ctx.set('Allow', 'POST');
      throw methodNotPossible(ctx.method, ['POST']);
    }
    if (methods.includes(ctx.method)) return next();
    ctx.set('Allow', methods.join(', '));
    throw methodNotPossible(ctx.method, methods);
  };
}
