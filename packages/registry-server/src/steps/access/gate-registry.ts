import { registryForbidden } from './access-errors.ts';
import { policyOf, registryOf } from '../../request/request-state.ts';
import { type Step, step } from '../../request/route.ts';

/** Requires that the caller passes the registry's gate. Throws ERR_REGISTRY_FORBIDDEN. */
export const gateRegistry: Step = step('gateRegistry', (ctx) => {
  const registry = registryOf(ctx);
  ctx.state.decision = policyOf(ctx).decideRegistryAccess(ctx.state.caller, registry);
  if (!ctx.state.decision.allowed) throw registryForbidden(registry.name);
});
