import type { AccessPolicy } from '@portolan/authorization';
import type { Caller, ClaimSet } from '@portolan/plugin-api';
import type { Catalog, PublishedRegistry, VisibleClasses } from '@portolan/registry';
import { catalogOf, policyOf, type RequestContext, registryOf } from '../../request/request-state.ts';
import { type Step, step } from '../../request/route.ts';

interface Decided {
  readonly policy: AccessPolicy;
  readonly claimSets: Catalog['claimSets'];
  readonly publicClaims: PublishedRegistry['publicClaims'];
  readonly visible: readonly number[];
}

/** Claims of a reader without a token. */
const NOBODY: ClaimSet = Object.freeze({});

/**
 * Decides per claims object whether the caller may see it. The decision is cached with the caller's claims
 * until the catalog, the policy or the public claims change.
 */
export function filterByClaims(): Step {
  const remembered = new WeakMap<ClaimSet, Decided>();
  return step('filterByClaims', (ctx) => {
    const { caller } = ctx.state;
    const policy = policyOf(ctx);
    ctx.state.visible = policy.seesEverything(caller) ? 'all' : decide(remembered, policy, caller, ctx);
  });
}

function decide(
  remembered: WeakMap<ClaimSet, Decided>,
  policy: AccessPolicy,
  caller: Caller | undefined,
  ctx: RequestContext,
): VisibleClasses {
  const { claimSets } = catalogOf(ctx);
  const registry = registryOf(ctx);
  const { publicClaims } = registry;
  const key = caller?.claims ?? NOBODY;
  const known = remembered.get(key);
  if (known?.policy === policy && known.claimSets === claimSets && known.publicClaims === publicClaims)
    return known.visible;
  const visible = visibleClasses({ policy, caller, registry, claimSets });
  remembered.set(key, { policy, claimSets, publicClaims, visible });
  return visible;
}

/** Returns the sorted ids of the claims objects whose entries this registry shows to the caller. */
export function visibleClasses({
  policy,
  caller,
  registry,
  claimSets,
}: {
  readonly policy: AccessPolicy;
  readonly caller: Caller | undefined;
  readonly registry: PublishedRegistry;
  readonly claimSets: Catalog['claimSets'];
}): readonly number[] {
  return [...claimSets]
    .filter(([, claims]) => policy.decideEntry(caller, registry, { claims }).allowed)
    .map(([id]) => id)
    .toSorted((a, b) => a - b);
}
