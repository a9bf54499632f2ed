import type { ReadScope } from '@portolan/registry';
import { type RequestContext, registryOf } from '../request/request-state.ts';

/** Returns what this request may read. Earlier steps have made the decisions. */
export function readScope(ctx: RequestContext): ReadScope {
  const { visible, filter, confirmCatalog } = ctx.state;
  const isUnconfirmed = confirmCatalog !== undefined;
  return { registry: registryOf(ctx), visible, isUnconfirmed, ...(filter === undefined ? {} : { filter }) };
}
