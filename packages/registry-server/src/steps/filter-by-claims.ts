import type { AccessPolicy } from '@portolan/authorization';
import type { Caller } from '@portolan/plugin-api';
import type { Catalog, VisibleClasses } from '@portolan/registry';
import { catalogOf } from '../request-state.ts';
import type { Step } from '../route.ts';

/** Decides which claims objects the caller may see, each once; the reader then shows only their entries. */
export function filterByClaims(policy: AccessPolicy): Step {
  return (ctx) => {
    ctx.state.visible = visibleClasses(policy, ctx.state.caller, catalogOf(ctx));
  };
}

/** Ids of the claims objects a caller may see. One that came later than this catalog is not among them. */
function visibleClasses(policy: AccessPolicy, caller: Caller | undefined, catalog: Catalog): VisibleClasses {
  if (!policy.checksClaims) return 'all';
  const ids: number[] = [];
  for (const [id, claims] of catalog.claimSets) {
    if (policy.decideRead(caller, { claims }).allowed) ids.push(id);
  }
  return ids.toSorted((a, b) => a - b);
}
