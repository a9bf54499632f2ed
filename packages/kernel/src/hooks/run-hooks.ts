import type { Caller, Hooks, Logger, Role } from '@portolan/plugin-api';
import { deepFreeze } from './deep-freeze.ts';
import { onlyBuiltInTap } from './guard-taps.ts';
import type { GuardedHooks } from './guarded-hooks.ts';

/** Returns functions that run the hooks. Taps that are added after this call run too. */
export function runnableHooks(hooks: Hooks, logger: Logger): GuardedHooks {
  return {
    resolveRoles: async (roles, identity) => {
      if (hooks.resolveRoles.taps.length === 0) return roles;
      // Every request runs this hook. Without taps of plugins, the call freezes and awaits nothing.
      const only = onlyBuiltInTap(hooks.resolveRoles);
      // The guard has checked that the tap returns a list of roles.
      if (only !== undefined) return only(roles, identity) as readonly Role[];
      const resolved = await hooks.resolveRoles.promise(deepFreeze([...roles]), deepFreeze(identity));
      return [...new Set(resolved)];
    },
    filterEntries: async (entries, caller, registry) =>
      hooks.filterEntries.taps.length === 0
        ? entries
        : await hooks.filterEntries.promise(deepFreeze([...entries]), deepFreeze(caller), registry),
    get filtersEntries() {
      return hooks.filterEntries.taps.length > 0;
    },
    filterCacheKey: (caller, registry) =>
      joinCacheKeys(hooks.filterEntries.taps, deepFreeze(caller), registry, logger),
    beforePublish: async (request, caller) => await hooks.beforePublish.promise(request, caller),
    accessDecided: (record) => {
      if (hooks.accessDecided.taps.length > 0) hooks.accessDecided.call(deepFreeze(record));
    },
    syncCompleted: async (record) => await hooks.syncCompleted.promise(deepFreeze(record)),
  };
}

/** Joins the cache keys of all filters. Returns undefined as soon as one filter provides no key or fails. */
function joinCacheKeys(
  taps: Hooks['filterEntries']['taps'],
  caller: Caller | undefined,
  registry: string,
  logger: Logger,
): string | undefined {
  const keys: string[] = [];
  for (const tap of taps) {
    const { cacheKey } = tap as {
      readonly cacheKey?: (caller: Caller | undefined, registry: string) => unknown;
    }; // tap functions of the facade; see `tappableFor`
    if (cacheKey === undefined) return undefined;
    try {
      const key = cacheKey(caller, registry);
      if (typeof key !== 'string') throw new TypeError('cacheKey must return a string');
      keys.push(tap.name, key);
    } catch (error) {
      logger.error({ plugin: tap.name, hook: 'filterEntries', error }, 'a plugin failed to name a cache key');
      return undefined;
    }
  }
  return keys.length === 0 ? '' : JSON.stringify(keys);
}
