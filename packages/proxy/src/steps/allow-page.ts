import type { RequestContext } from '../request/request-state.ts';

const METHODS = 'POST, GET, DELETE';
const READABLE = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After';
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?: ?, ?[\w!#$%&'*+.^`|~-]+)*$/;
/** Cache time in browsers, in seconds. */
const REMEMBERED_S = '600';

/** CORS for allowed origins, without cookies. The proxy itself responds to preflight requests. */
export async function allowPage(
  ctx: RequestContext,
  origin: string,
  next: () => Promise<unknown>,
): Promise<void> {
  ctx.set('Access-Control-Allow-Origin', origin);
  ctx.vary('Origin');
  if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') {
    ctx.set('Access-Control-Expose-Headers', READABLE);
    await next();
    return;
  }
  ctx.set('Access-Control-Allow-Methods', METHODS);
  ctx.set('Access-Control-Max-Age', REMEMBERED_S);
  const requestedHeaders = ctx.get('Access-Control-Request-Headers');
  if (HEADER_NAMES.test(requestedHeaders)) ctx.set('Access-Control-Allow-Headers', requestedHeaders);
  if (ctx.get('Access-Control-Request-Private-Network') === 'true') {
    ctx.set('Access-Control-Allow-Private-Network', 'true');
  }
  ctx.status = 204;
}
