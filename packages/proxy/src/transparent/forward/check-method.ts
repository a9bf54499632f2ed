import { isModern } from '@portolan/mcp-protocol';
import { methodNotPossible } from '../../errors/request-errors.ts';
import { headerOf, type Middleware } from '../../request/request-state.ts';

const LEGACY_METHODS = ['GET', 'HEAD', 'DELETE'];
const METHODS = ['POST', 'GET', 'DELETE', 'HEAD', 'OPTIONS'];
const STATELESS_METHODS = ['POST'];

/** Other methods are refused: TRACE would show a client what is sent in addition to its headers. */
export function checkMethod(isStateless: boolean): Middleware {
  const methods = isStateless ? STATELESS_METHODS : METHODS;
  return (ctx, next) => {
    const version = headerOf(ctx, 'MCP-Protocol-Version');
    // Streams and sessions by GET and DELETE are Legacy only.
    if (LEGACY_METHODS.includes(ctx.method) && version !== undefined && isModern(version)) {
      ctx.set('Allow', 'POST');
      throw methodNotPossible(ctx.method, ['POST']);
    }
    if (methods.includes(ctx.method)) return next();
    ctx.set('Allow', methods.join(', '));
    throw methodNotPossible(ctx.method, methods);
  };
}
