import type { GuardedHooks } from '@portolan/kernel';
import { registryOf } from '../../request/request-state.ts';
import { type Step, step } from '../../request/route.ts';

/**
 * Passes the hook `filterEntries` to the reader, for this caller and registry. When a filter provides no
 * cache key, the response must not be shared.
 */
export function filterEntries(hooks: GuardedHooks): Step {
  return step('filterEntries', (ctx) => {
    const { state } = ctx;
    if (!hooks.filtersEntries) {
      state.filterKey = '';
      return;
    }
    const { name } = registryOf(ctx);
    state.filter = (entries) => hooks.filterEntries(entries, state.caller, name);
    state.filterKey = hooks.filterCacheKey(state.caller, name);
  });
}

/**
 * Passes the hook `filterEntries` to admin lists, whose responses are not shared. The list of a source's
 * entries belongs to no registry, so its name is empty.
 */
export function filterAdminEntries(hooks: GuardedHooks): Step {
  return step('filterAdminEntries', ({ state }) => {
    if (!hooks.filtersEntries) return;
    const registry = state.pathText['registryName'] ?? '';
    state.filter = (entries) => hooks.filterEntries(entries, state.caller, registry);
  });
}
