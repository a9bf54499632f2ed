import type { Kernel } from '@portolan/kernel';
import type { Middleware } from '../request-state.ts';

/**
 * Lets the auth provider check the credential and say whose it is. Paths in
 * `open` are answered without one in every mode.
 */
export function authenticate(provider: Kernel['authProvider'], open: ReadonlySet<string>): Middleware {
  const { instance } = provider;
  return async (ctx, next) => {
    if (!open.has(ctx.state.path)) {
      // SAFETY: providers are written for any Koa state; ours is one.
      const context = ctx as Parameters<typeof instance.verify>[0];
      await instance.verify(context, () => Promise.resolve());
      const identity = instance.identify(context);
      ctx.state.caller = identity && { ...identity, roles: [] };
    }
    await next();
  };
}
