import type { GuardedHooks } from '@portolan/kernel';
import { registryOf } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';

/**
 * Hands the hook `filterEntries` to the reader, for this caller and registry.
 * Where a filter cannot say what its answer depends on, the answer may not be
 * shared with anybody.
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
 * Hands the hook `filterEntries` to admin lists, whose answers are not shared. The
 * list of a source's entries belongs to no registry: there the name is empty.
 */
export function filterAdminEntries(hooks: GuardedHooks): Step {
  return step('filterAdminEntries', ({ state }) => {
    if (!hooks.filtersEntries) return;
    const registry = state.pathText['registryName'] ?? '';
    state.filter = (entries) => hooks.filterEntries(entries, state.caller, registry);
  });
}
