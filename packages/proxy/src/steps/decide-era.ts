import { methodNotPossible } from '../errors/request-errors.ts';
import { classifyMessage } from '../era/classify-message.ts';
import { isModern, MODERN_REVISIONS } from '../era/revisions.ts';
import { headerOf, type Middleware, type RequestContext } from '../request-state.ts';

/** Decides by which rules a message is served. Streams and sessions by GET and DELETE are Legacy alone. */
export function decideEra(
  hasSession: (id: string) => boolean,
  supported: () => readonly string[] = () => MODERN_REVISIONS,
): Middleware {
  return (ctx, next) => {
    const version = headerOf(ctx, 'MCP-Protocol-Version');
    if (ctx.method !== 'POST' && version !== undefined && isModern(version)) {
      ctx.set('Allow', 'POST');
      throw methodNotPossible(ctx.method, ['POST']);
    }
    const { parsed } = ctx.state;
    if (parsed?.form === 'message') {
      const headers = {
        version,
        method: headerOf(ctx, 'Mcp-Method'),
        name: headerOf(ctx, 'Mcp-Name'),
      };
      ctx.state.era = classifyMessage(parsed.message, headers, {
        inKnownSession: isKnown(ctx, hasSession),
        supported: supported(),
      });
    }
    return next();
  };
}

function isKnown(ctx: RequestContext, hasSession: (id: string) => boolean): boolean {
  const id = headerOf(ctx, 'Mcp-Session-Id');
  return id !== undefined && hasSession(id);
}
