import { type RolesHook, resolveCaller } from '@portolan/authorization';
import { type Middleware, policyOf } from '../request/request-state.ts';

/** Gives a caller their roles, which are what the hook `resolveRoles` makes of none. Nobody has none. */
export function resolveRoles(hooks: RolesHook): Middleware {
  return async (ctx, next) => {
    const { caller } = ctx.state;
    if (caller !== undefined) ctx.state.caller = await resolveCaller(hooks, policyOf(ctx), caller);
    await next();
  };
}
