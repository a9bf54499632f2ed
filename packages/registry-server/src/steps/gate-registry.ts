import { registryForbidden } from './access-errors.ts';
import { policyOf, registryOf } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';

/** Lets pass who may read from the registry at all. Throws ERR_REGISTRY_FORBIDDEN. */
export const gateRegistry: Step = step('gateRegistry', (ctx) => {
  const registry = registryOf(ctx);
  ctx.state.decision = policyOf(ctx).decideRegistryAccess(ctx.state.caller, registry);
  if (!ctx.state.decision.allowed) throw registryForbidden(registry.name);
});
