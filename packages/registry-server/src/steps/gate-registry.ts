import type { AccessPolicy } from '@portolan/authorization';
import { registryForbidden } from '../errors.ts';
import { registryOf } from '../request-state.ts';
import type { Step } from '../route.ts';

/** Lets pass who may read from the registry at all. Throws ERR_REGISTRY_FORBIDDEN. */
export function gateRegistry(policy: AccessPolicy): Step {
  return (ctx) => {
    const registry = registryOf(ctx);
    ctx.state.decision = policy.decideRegistryAccess(ctx.state.caller, registry);
    if (!ctx.state.decision.allowed) throw registryForbidden(registry.name);
  };
}
