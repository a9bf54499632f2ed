import type { GuardedHooks } from '@portolan/kernel';
import type { Middleware } from '../request-state.ts';

/** Gives a caller their roles: those the hook `resolveRoles` answers with. Nobody has none. */
export function resolveRoles(hooks: Pick<GuardedHooks, 'resolveRoles'>): Middleware {
  return async (ctx, next) => {
    const { caller } = ctx.state;
    if (caller !== undefined) {
      ctx.state.caller = { ...caller, roles: await hooks.resolveRoles(caller.roles, caller) };
    }
    await next();
  };
}
