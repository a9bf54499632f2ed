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
 * The hooks as hosts call them. Each throws ERR_PLUGIN_HOOK with the names of plugin and hook when a tap
 * throws or returns an invalid value. Notification hooks log it instead.
 */
export interface GuardedHooks {
  resolveRoles(roles: readonly Role[], identity: Identity): Promise<readonly Role[]>;
  filterEntries(
    entries: readonly Entry[],
    caller: Caller | undefined,
    registry: string,
  ): Promise<readonly Entry[]>;
  /** False when no plugin taps `filterEntries`. */
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
