import type {
  AuthProvider,
  AuthProviderKind,
  Caller,
  Entry,
  Identity,
  Logger,
  MiddlewareKind,
  PublishRequest,
  Role,
  Source,
  SourceKind,
  AccessRecord,
  SyncRecord,
  PluginContext,
} from '@portolan/plugin-api';
import type { PortolanConfig } from './config/core-schema.ts';
import type { KindTable } from './kinds/kind-table.ts';

/**
 * What a host gets from `bootKernel`: a validated configuration, the kinds and
 * hooks of all plugins, and the instances the configuration names.
 */
export interface Kernel {
  /** Validated; defaults filled in, references in secret fields resolved. */
  readonly config: PortolanConfig;
  /** Absolute path of the file the configuration came from; undefined when it was passed as a value. */
  readonly configFile: string | undefined;
  /** Folder relative paths of the configuration start from. */
  readonly directory: string;
  readonly kinds: KindTable;
  readonly hooks: GuardedHooks;
  readonly logger: Logger;
  /** By name of the source, in the order of the configuration. */
  readonly sources: ReadonlyMap<string, SourceInstance>;
  readonly authProvider: { readonly kind: AuthProviderKind; readonly instance: AuthProvider };
  readonly middleware: readonly {
    readonly kind: MiddlewareKind;
    readonly handler: Awaited<ReturnType<MiddlewareKind['create']>>;
  }[];
  readonly clock: () => Date;
  /** What a plugin of this name would be handed. */
  contextFor(pluginName: string): PluginContext;
  /** Closes sources, auth provider and plugins, in reverse order of their creation; safe to call twice. */
  close(): Promise<void>;
}

export interface SourceInstance {
  readonly kind: SourceKind;
  readonly instance: Source;
}

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
