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
   * Returns the part of a cache key that represents the result of all `filterEntries` taps. Undefined when a
   * filter provides no key: the response must not be cached then.
   */
  filterCacheKey(caller: Caller | undefined, registry: string): string | undefined;
  beforePublish(request: PublishRequest, caller: Caller | undefined): Promise<PublishRequest>;
  accessDecided(record: AccessRecord): void;
  syncCompleted(record: SyncRecord): Promise<void>;
}
