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
 * What a host gets from `bootKernel`: a validated configuration, the kinds and
 * hooks of all plugins, and the instances the configuration names.
 */
export interface Kernel {
  /** As at the start. Validated; defaults filled in, references in secret fields resolved. */
  readonly config: PortolanConfig;
  /** Absolute path of the file the configuration came from; undefined when it was passed as a value. */
  readonly configFile: string | undefined;
  /** Folder relative paths of the configuration start from. */
  readonly directory: string;
  readonly kinds: KindTable;
  readonly hooks: GuardedHooks;
  readonly logger: Logger;
  /** By name of the source, in the order of the configuration; as it says now: `reload` puts others in their place. */
  readonly sources: ReadonlyMap<string, SourceInstance>;
  /** As the configuration says now: `reloadAuth` puts another one in its place. */
  readonly auth: KernelAuth;
  /** That of `auth`. */
  readonly authProvider: KernelAuth['provider'];
  readonly middleware: readonly {
    readonly kind: MiddlewareKind;
    readonly handler: Awaited<ReturnType<MiddlewareKind['create']>>;
    /** Its settings. */
    readonly block: Block;
  }[];
  /** What exports measurements and traces; not started. Undefined where none are exported. */
  readonly telemetry: Telemetry | undefined;
  /** Pages for people; not open, and closed by whoever opens them. Empty where the configuration names none. */
  readonly pages: readonly { readonly kind: PagesKind; readonly instance: Pages }[];
  readonly clock: () => Date;
  /** What a plugin of this name would be handed. */
  contextFor(pluginName: string): PluginContext;
  /** Names of all source kinds a source made through the API may be of: also shipped ones that nothing uses yet. */
  readonly sourceKinds: readonly string[];
  /** Those kinds, each with what a form or an editor has to know of it; loads what is not loaded yet. Throws ERR_PLUGIN_*. */
  describeSourceKinds(): Promise<readonly SourceKindDescription[]>;
  /**
   * Checks a source that is made through the API: `definition` is what an item of
   * `sources` holds beside its name. By the rules of the configuration file, and
   * `apiSources` in it; a secret in it is refused, references are not resolved.
   * An instance is made of it and closed again. Throws ERR_SOURCE_INVALID with
   * every problem, places starting at the definition, and ERR_PLUGIN_*.
   */
  checkSource(name: string, definition: unknown): Promise<CheckedSource>;
  /**
   * Makes an instance of such a source. Its files and addresses are held to
   * `apiSources` at every read. Whoever calls closes it. Throws ERR_SOURCE_INVALID
   * when its block is not (or no longer) allowed, and ERR_PLUGIN_*.
   */
  createSource(source: SourceToCreate): Promise<SourceInstance>;
  /** Has middleware close its files and open them again; what fails is logged. */
  reopen(): Promise<void>;
  /**
   * Reads the configuration again, checks all of it, and takes over its `auth`;
   * the provider before is closed when the requests that use it are over.
   * Anything that is wrong, and other `plugins` than at the start, throw what
   * `bootKernel` throws, and leave everything as it was. Calls wait for each other.
   */
  reloadAuth(): Promise<ReloadedAuth>;
  /**
   * Reads the configuration again, checks all of it, and takes over `auth`,
   * `sources` and `registries`, where they are others than before. `store` puts
   * the latter two where they are kept and stops using sources that are gone; it
   * may refuse. Whatever is wrong throws as `reloadAuth` does, or what `store`
   * throws, and leaves everything as it was. Calls wait for each other.
   */
  reload(store: (next: NextRegistries) => Promise<void>): Promise<ReloadedConfiguration>;
  /** Closes sources, auth provider, middleware and plugins, in reverse order of their creation; safe to call twice. */
  close(): Promise<void>;
}

export interface KernelAuth {
  readonly config: AuthConfig;
  readonly provider: { readonly kind: AuthProviderKind; readonly instance: AuthProvider };
}

export interface ReloadedAuth {
  readonly auth: KernelAuth;
  /** Keys at the top of the configuration, beside `auth`, that are others than at the start: they count after a restart. */
  readonly ignored: readonly string[];
}

/** Sources and registries of a configuration that is about to count. */
export interface NextRegistries {
  readonly config: Pick<PortolanConfig, 'sources' | 'registries'>;
  /** Those whose settings are as before are the instances of before. */
  readonly sources: ReadonlyMap<string, SourceInstance>;
}

export interface ReloadedConfiguration extends ReloadedAuth {
  readonly isAuthChanged: boolean;
}

/** A source that may be stored: its block has its defaults, and no secrets. */
export interface CheckedSource extends SourceConfig {
  readonly claimsFrom: SourceKind['claimsFrom'];
  /** See `variantOf`. */
  readonly variant: string;
  /** The ways that blocks of its kind may take: groups of keys, of which each block has one. Empty where there are none. */
  readonly variants: NonNullable<ConfigBlock['oneOfKeys']>;
}

/** A source kind, for whoever makes sources of it. */
export interface SourceKindDescription {
  readonly kind: string;
  readonly claimsFrom: SourceKind['claimsFrom'];
  /** Whether a source of it may be made through the API: it says what it reaches, or has nothing to set. */
  readonly viaApi: boolean;
  /** Whether each source of it needs a `syncPolicy`; of some kinds only blocks that may change do. */
  readonly needsInterval: boolean;
  /** Its block in plain JSON Schema, as editors take it: secrets are `writeOnly`. */
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
