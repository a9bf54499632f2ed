import type { AuthProvider } from '@portolan/plugin-api';
import { callerUnknown } from '../errors.ts';
import type { Middleware } from '../request-state.ts';

/**
 * Lets the auth provider say who asks; what it throws is the answer. One that
 * neither goes on nor throws has not said that the credential is good.
 */
export function authenticate(provider: AuthProvider): Middleware {
  return async (ctx, next) => {
    // SAFETY: providers are written for any Koa state; ours is one.
    const context = ctx as unknown as Parameters<AuthProvider['verify']>[0];
    let isGood = false;
    await provider.verify(context, async () => {
      isGood = true;
    });
    if (!isGood) throw callerUnknown();
    ctx.state.caller = provider.identify(context);
    await next();
  };
}
