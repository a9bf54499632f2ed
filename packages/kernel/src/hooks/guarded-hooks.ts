import type {
  AccessRecord,
  Caller,
  Entry,
  Identity,
  PublishRequest,
  Role,
  SyncRecord,
} from '@portolan/plugin-api';

/**
 * Hooks as hosts call them. Each throws ERR_PLUGIN_HOOK when a tap throws or returns an invalid value;
 * notification hooks log it instead.
 */
export interface GuardedHooks {
  resolveRoles(roles: readonly Role[], identity: Identity): Promise<readonly Role[]>;
  filterEntries(
    entries: readonly Entry[],
    caller: Caller | undefined,
    registry: string,
  ): Promise<readonly Entry[]>;
  readonly filtersEntries: boolean;
  /**
   * Returns the part of cache keys that depends on filters. Undefined when a filter provides none, so that
   * nothing may be cached.
   */
  filterCacheKey(caller: Caller | undefined, registry: string): string | undefined;
  beforePublish(request: PublishRequest, caller: Caller | undefined): Promise<PublishRequest>;
  accessDecided(record: AccessRecord): void;
  syncCompleted(record: SyncRecord): Promise<void>;
}
