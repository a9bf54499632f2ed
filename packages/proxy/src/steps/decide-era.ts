import { classifyMessage, classifyOnEvents, isModern, MODERN_REVISIONS } from '@portolan/mcp-protocol';
import { methodNotPossible } from '../errors/request-errors.ts';
import { headerOf, type Middleware, type RequestContext } from '../request/request-state.ts';

/**
 * Decides whether each message has a handshake (Legacy) or not (Modern). GET and DELETE, for streams and
 * sessions, are Legacy only.
 */
export function decideEra(
  hasSession: (id: string) => boolean,
  supported: () => readonly string[] = () => MODERN_REVISIONS,
): Middleware {
  return (ctx, next) => {
    const version = versionOf(ctx);
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

export const decideEraOnEvents: Middleware = (ctx, next) => {
  const version = versionOf(ctx);
  const { parsed } = ctx.state;
  if (parsed?.form === 'message') ctx.state.era = classifyOnEvents(parsed.message, version);
  return next();
};

/**
 * Returns the version header. Throws ERR_METHOD_NOT_POSSIBLE for an HTTP method that this revision does not
 * have.
 */
function versionOf(ctx: RequestContext): string | undefined {
  const version = headerOf(ctx, 'MCP-Protocol-Version');
  if (ctx.method !== 'POST' && version !== undefined && isModern(version)) {
    ctx.set('Allow', 'POST');
    throw methodNotPossible(ctx.method, ['POST']);
  }
  return version;
}

function isKnown(ctx: RequestContext, hasSession: (id: string) => boolean): boolean {
  const id = headerOf(ctx, 'Mcp-Session-Id');
  return id !== undefined && hasSession(id);
}
