import type {
  AuthProvider,
  AuthProviderKind,
  ConfigBlock,
  Logger,
  MiddlewareKind,
  Pages,
  PagesKind,
  Source,
  SourceKind,
  PluginContext,
  Telemetry,
} from '@portolan/plugin-api';
import type { Block } from '../config/plain-data.ts';
import type { GuardedHooks } from '../hooks/guarded-hooks.ts';
import type { AuthConfig } from '../config/auth-schema.ts';
import type { PortolanConfig, SourceConfig } from '../config/core-schema.ts';
import type { JsonSchema } from '../config/json-schema.ts';
import type { KindTable } from '../kinds/kind-table.ts';

export interface Kernel {
  readonly config: PortolanConfig;
  /** Absolute path. Undefined when the configuration was passed as a value. */
  readonly configFile: string | undefined;
  readonly directory: string;
  readonly kinds: KindTable;
  readonly hooks: GuardedHooks;
  readonly logger: Logger;
  /** Instances by name, in the configured order. `reload` replaces them. */
  readonly sources: ReadonlyMap<string, SourceInstance>;
  readonly auth: KernelAuth;
  readonly authProvider: KernelAuth['provider'];
  readonly middleware: readonly {
    readonly kind: MiddlewareKind;
    readonly handler: Awaited<ReturnType<MiddlewareKind['create']>>;
    readonly block: Block;
  }[];
  readonly telemetry: Telemetry | undefined;
  /** Configured pages. The host opens them, and closes what it opened. */
  readonly pages: readonly { readonly kind: PagesKind; readonly instance: Pages }[];
  readonly clock: () => Date;
  contextFor(pluginName: string): PluginContext;
  readonly sourceKinds: readonly string[];
  /**
   * Describes all source kinds for forms and editors. Loads built-in kinds that are not loaded yet. Throws
   * ERR_PLUGIN_*.
   */
  describeSourceKinds(): Promise<readonly SourceKindDescription[]>;
  /**
   * Validates an item of `sources` without its name, by the rules of the file and of `apiSources`, and tries
   * to create it. Rejects secrets and does not resolve references. Throws ERR_SOURCE_INVALID with every
   * problem, and ERR_PLUGIN_*.
   */
  checkSource(name: string, definition: unknown): Promise<CheckedSource>;
  /**
   * Creates an instance of a source from the API, which the caller closes. Every read checks its files and
   * addresses against `apiSources`. Throws ERR_SOURCE_INVALID when the limits no longer allow its block, and
   * ERR_PLUGIN_*.
   */
  createSource(source: SourceToCreate): Promise<SourceInstance>;
  reopen(): Promise<void>;
  /**
   * Validates the whole configuration again and applies its `auth`. The previous provider closes when its
   * requests have completed. On any problem, throws like `bootKernel` and keeps the previous `auth`.
   * Concurrent calls run one after the other.
   */
  reloadAuth(): Promise<ReloadedAuth>;
  /**
   * Validates the whole configuration again and applies `auth`, `sources` and `registries`. `store` stores
   * sources and registries and stops using removed sources; when `store` throws, nothing changes. Concurrent
   * calls run one after the other.
   */
  reload(store: (next: NextRegistries) => Promise<void>): Promise<ReloadedConfiguration>;
  /** Closes everything in reverse order of creation. Idempotent. */
  close(): Promise<void>;
}

export interface KernelAuth {
  readonly config: AuthConfig;
  readonly provider: { readonly kind: AuthProviderKind; readonly instance: AuthProvider };
}

export interface ReloadedAuth {
  readonly auth: KernelAuth;
  /** Changed top-level keys that take effect only after a restart. */
  readonly ignored: readonly string[];
}

export interface NextRegistries {
  readonly config: Pick<PortolanConfig, 'sources' | 'registries'>;
  readonly sources: ReadonlyMap<string, SourceInstance>;
}

export interface ReloadedConfiguration extends ReloadedAuth {
  readonly isAuthChanged: boolean;
}

export interface CheckedSource extends SourceConfig {
  readonly claimsFrom: SourceKind['claimsFrom'];
  readonly variant: string;
  /**
   * Groups of mutually exclusive keys. A block has exactly one key of each group. Empty when there are no
   * alternatives.
   */
  readonly variants: NonNullable<ConfigBlock['oneOfKeys']>;
}

export interface SourceKindDescription {
  readonly kind: string;
  readonly claimsFrom: SourceKind['claimsFrom'];
  /**
   * Whether the API may create sources of this kind: the kind reports what they reach, or has no settings.
   */
  readonly viaApi: boolean;
  /**
   * Whether every source of this kind needs a `syncPolicy`. False when some of its sources have content that
   * never changes.
   */
  readonly needsInterval: boolean;
  /** Plain JSON Schema for editors; secrets are `writeOnly`. */
  readonly schema: JsonSchema;
}

export interface SourceToCreate {
  readonly name: string;
  readonly kind: string;
  readonly block: unknown;
}

export interface SourceInstance {
  readonly kind: SourceKind;
  readonly instance: Source;
}
