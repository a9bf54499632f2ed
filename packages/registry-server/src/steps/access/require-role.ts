import type { Role } from '@portolan/plugin-api';
import { roleMissing } from './access-errors.ts';
import { policyOf } from '../../request/request-state.ts';
import { type Step, step } from '../../request/route.ts';

/** Requires the role before anything else of the request is examined. Throws ERR_ROLE_MISSING. */
export function requireRole(role: Role): Step {
  return step('requireRole', (ctx) => {
    ctx.state.decision = policyOf(ctx).decideRole(ctx.state.caller, role);
    if (!ctx.state.decision.allowed) throw roleMissing(role);
  });
}
