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

/**
 * Result of `bootKernel`: the validated configuration, the kinds and hooks of all plugins, and the configured
 * instances.
 */
export interface Kernel {
  /**
   * The configuration at the start: validated, with defaults and with references in secret fields resolved.
   */
  readonly config: PortolanConfig;
  /** Absolute path of the configuration file. Undefined when the configuration was passed as a value. */
  readonly configFile: string | undefined;
  /** Base folder of the configuration's relative paths. */
  readonly directory: string;
  readonly kinds: KindTable;
  readonly hooks: GuardedHooks;
  readonly logger: Logger;
  /** Instances by source name, in the configured order. `reload` replaces them. */
  readonly sources: ReadonlyMap<string, SourceInstance>;
  /** Current auth. `reloadAuth` replaces it. */
  readonly auth: KernelAuth;
  /** The provider of `auth`. */
  readonly authProvider: KernelAuth['provider'];
  readonly middleware: readonly {
    readonly kind: MiddlewareKind;
    readonly handler: Awaited<ReturnType<MiddlewareKind['create']>>;
    /** Settings of the provider. */
    readonly block: Block;
  }[];
  /** Exporter of metrics and traces, not started. Undefined without one. */
  readonly telemetry: Telemetry | undefined;
  /** Pages for people, not open; the opener closes them. Empty without configured pages. */
  readonly pages: readonly { readonly kind: PagesKind; readonly instance: Pages }[];
  readonly clock: () => Date;
  /** Returns the context for a plugin of this name. */
  contextFor(pluginName: string): PluginContext;
  /** Names of all kinds that a source from the API may have, including unused built-in ones. */
  readonly sourceKinds: readonly string[];
  /**
   * Returns these kinds with their properties for forms and editors, and loads missing ones. Throws
   * ERR_PLUGIN_*.
   */
  describeSourceKinds(): Promise<readonly SourceKindDescription[]>;
  /**
   * Validates a source from the API. `definition` is an item of `sources` without its name. The rules are
   * those of the configuration file and of its `apiSources`. Rejects secrets and does not resolve references.
   * Creates an instance and closes it. Throws ERR_SOURCE_INVALID with every problem, places relative to the
   * definition, and ERR_PLUGIN_*.
   */
  checkSource(name: string, definition: unknown): Promise<CheckedSource>;
  /**
   * Creates an instance of such a source, which the caller closes. Every read checks its files and addresses
   * against `apiSources`. Throws ERR_SOURCE_INVALID when its block is not, or no longer, allowed, and
   * ERR_PLUGIN_*.
   */
  createSource(source: SourceToCreate): Promise<SourceInstance>;
  /** Makes middleware reopen its files. Failures are logged. */
  reopen(): Promise<void>;
  /**
   * Reads and validates the whole configuration again and applies its `auth`. The previous provider closes
   * when its requests have completed. Any problem, including changed `plugins`, throws like `bootKernel` and
   * changes nothing. Calls are serialized.
   */
  reloadAuth(): Promise<ReloadedAuth>;
  /**
   * Reads and validates the whole configuration again and applies changes of `auth`, `sources` and
   * `registries`. `store` stores the latter two and stops using removed sources; it may refuse. Any problem
   * throws like `reloadAuth`, or what `store` throws, and changes nothing. Calls are serialized.
   */
  reload(store: (next: NextRegistries) => Promise<void>): Promise<ReloadedConfiguration>;
  /** Closes sources, auth provider, middleware and plugins in reverse order of creation. Idempotent. */
  close(): Promise<void>;
}

export interface KernelAuth {
  readonly config: AuthConfig;
  readonly provider: { readonly kind: AuthProviderKind; readonly instance: AuthProvider };
}

export interface ReloadedAuth {
  readonly auth: KernelAuth;
  /** Changed top-level keys other than `auth`, which take effect only after a restart. */
  readonly ignored: readonly string[];
}

/** Sources and registries of a configuration that is being applied. */
export interface NextRegistries {
  readonly config: Pick<PortolanConfig, 'sources' | 'registries'>;
  /** Sources with unchanged settings keep their instances. */
  readonly sources: ReadonlyMap<string, SourceInstance>;
}

export interface ReloadedConfiguration extends ReloadedAuth {
  readonly isAuthChanged: boolean;
}

/** A source that may be stored: with defaults and without secrets. */
export interface CheckedSource extends SourceConfig {
  readonly claimsFrom: SourceKind['claimsFrom'];
  /** See `variantOf`. */
  readonly variant: string;
  /**
   * Mutually exclusive alternatives of its kind's blocks: groups of keys, of which each block has one. Empty
   * when there are none.
   */
  readonly variants: NonNullable<ConfigBlock['oneOfKeys']>;
}

/** Description of a source kind for clients that create sources. */
export interface SourceKindDescription {
  readonly kind: string;
  readonly claimsFrom: SourceKind['claimsFrom'];
  /** Whether the API may create sources of it: it reports what they reach, or has no settings. */
  readonly viaApi: boolean;
  /** Whether each source of it needs a `syncPolicy`. For some kinds, only blocks that may change do. */
  readonly needsInterval: boolean;
  /** Its block in plain JSON Schema for editors; secrets are `writeOnly`. */
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
