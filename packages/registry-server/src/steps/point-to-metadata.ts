import type { Middleware } from '../request/request-state.ts';

/** Where clients learn how to get a token (RFC 9728, section 5.1). */
const METADATA = '/.well-known/oauth-protected-resource';

/** Adds the metadata's address to a challenge, unless the auth provider did. */
export function pointToMetadata(publicUrl: string | undefined): Middleware | undefined {
  if (publicUrl === undefined) return undefined;
  const pointer = `resource_metadata="${publicUrl.replace(/\/+$/, '')}${METADATA}"`;
  return async (ctx, next) => {
    await next();
    if (ctx.res.statusCode !== 401 || ctx.state.access?.provider?.instance.protectedResource === undefined)
      return;
    const challenge = ctx.res.getHeader('WWW-Authenticate');
    if (
      typeof challenge !== 'string' ||
      !/^Bearer /i.test(challenge) ||
      /resource_metadata=/i.test(challenge)
    )
      return;
    ctx.res.setHeader('WWW-Authenticate', `${challenge}, ${pointer}`);
  };
}
