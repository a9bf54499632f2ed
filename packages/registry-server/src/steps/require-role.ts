import type { Role } from '@portolan/plugin-api';
import { roleMissing } from './access-errors.ts';
import { policyOf } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';

/** Lets pass who has the role. Throws ERR_ROLE_MISSING, before anything of the request is looked at. */
export function requireRole(role: Role): Step {
  return step('requireRole', (ctx) => {
    ctx.state.decision = policyOf(ctx).decideRole(ctx.state.caller, role);
    if (!ctx.state.decision.allowed) throw roleMissing(role);
  });
}
