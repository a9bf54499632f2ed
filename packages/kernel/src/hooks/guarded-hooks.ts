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
 * The hooks as the hosts run them. Each throws ERR_PLUGIN_HOOK, naming plugin
 * and hook, when a tap throws or answers with something it may not; those that
 * only tell log it instead.
 */
export interface GuardedHooks {
  resolveRoles(roles: readonly Role[], identity: Identity): Promise<readonly Role[]>;
  filterEntries(
    entries: readonly Entry[],
    caller: Caller | undefined,
    registry: string,
  ): Promise<readonly Entry[]>;
  /** False when nothing taps `filterEntries`: then there is nothing to ask. */
  readonly filtersEntries: boolean;
  /** What cached answers must also be keyed by; undefined when a filter cannot say, so that nothing may be cached. */
  filterCacheKey(caller: Caller | undefined, registry: string): string | undefined;
  beforePublish(request: PublishRequest, caller: Caller | undefined): Promise<PublishRequest>;
  accessDecided(record: AccessRecord): void;
  syncCompleted(record: SyncRecord): Promise<void>;
}
