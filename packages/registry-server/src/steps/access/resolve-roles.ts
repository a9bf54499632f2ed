import { type RolesHook, resolveCaller } from '@portolan/authorization';
import { type Middleware, policyOf } from '../../request/request-state.ts';

/**
 * Assigns roles to the caller through the hook `resolveRoles`, which starts with none. An unauthenticated
 * request has no roles.
 */
export function resolveRoles(hooks: RolesHook): Middleware {
  return async (ctx, next) => {
    const { caller } = ctx.state;
    if (caller !== undefined) ctx.state.caller = await resolveCaller(hooks, policyOf(ctx), caller);
    await next();
  };
}
