import type {
  AuthProvider,
  AuthProviderKind,
  ContainerExit,
  ContainerSpec,
  Ecosystem,
  KindProblem,
  Logger,
  OutgoingCredentials,
  OutgoingCredentialsSurroundings,
  PackageParser,
  Plugin,
  PluginContext,
  ProxyMiddleware,
  ProxySlot,
  ProxySurroundings,
  Runtime,
  Scheme,
  SecretStore,
  SecretStoreKind,
  SecretStoreSurroundings,
  SessionStore,
  SessionStoreSurroundings,
  Transport,
} from '@portolan/plugin-api';
import type { WorkloadList } from '../kind-lists/kind-lists.ts';
import type { InstalledPlugin, PluginObject, ShippedKinds } from '../plugins/plugin-origins.ts';
import type { BootOptions } from '../validation/boot-options.ts';
import type { SecretValues } from '../logging/secret-values.ts';

/** Everything that the workload kernel takes from its environment. */
export interface WorkloadKernelOptions
  extends Pick<
    BootOptions,
    | 'environment'
    | 'logger'
    | 'logDestination'
    | 'debug'
    | 'clock'
    | 'nowMs'
    | 'fetch'
    | 'signal'
    | 'pluginTimeoutMs'
  > {
  /** Absolute path. Undefined for no configuration; there is no search. */
  readonly configFile?: string | undefined;
  /** Base folder of relative paths without a configuration. Default: the working directory. */
  readonly directory?: string;
  readonly shipped: ShippedKinds;
  /** Path or file URL of a module from which built-in packages are resolved. */
  readonly shippedFrom: string;
  /**
   * Plugins that are part of the host. They are applied before all others, and no configuration can disable
   * them.
   */
  readonly builtIn?: readonly Plugin[];
  /** Plugins passed as objects. */
  readonly pluginObjects?: readonly PluginObject[];
  /** Installed packages. Portolan plugins among them are loaded even when no configuration names them. */
  readonly installed?: readonly InstalledPlugin[];
  /** Receives the values of all secret fields, for callers with their own logger. */
  readonly secrets?: SecretValues;
}

/**
 * Result of `openWorkloadKernel`: the workload kinds and the container hooks. `close` closes what was
 * created.
 */
export interface WorkloadKernel {
  readonly configFile: string | undefined;
  /** Base folder of the configuration's relative paths. */
  readonly directory: string;
  readonly kinds: WorkloadKindNames;
  readonly logger: Logger;
  readonly hooks: WorkloadKernelHooks;
  /** Returns the context for a plugin of this name. */
  contextFor(pluginName: string): PluginContext;
  /**
   * Creates a new instance with the configured settings of the kind. The first use imports a built-in
   * package. Throws ERR_KIND_UNKNOWN, ERR_PLUGIN_* and, when required settings are missing,
   * ERR_CONFIG_INVALID.
   */
  createRuntime(name: string): Promise<Runtime>;
  createTransport(name: string): Promise<Transport>;
  createScheme(name: string): Promise<Scheme>;
  /**
   * Creates an instance like `createRuntime`. `given` are settings from elsewhere, such as the run config,
   * which replace those of the configuration. Throws ERR_CONFIG_INVALID also when they are invalid, and when
   * the kind does not support workloads.
   */
  createAuthProvider(name: string, given?: GivenSettings): Promise<CreatedAuthProvider>;
  /** Throws what createAuthProvider would throw before it creates anything. */
  checkAuthProvider(name: string, given?: GivenSettings): Promise<void>;
  /** Returns what providers publish that makes the settings useless; see `AuthProviderKind.checkOnline`. */
  checkAuthProviderOnline(
    name: string,
    given: GivenSettings,
    signal: AbortSignal,
  ): Promise<readonly KindProblem[]>;
  /**
   * Works like createAuthProvider, but secret settings may only be in the configuration, never in a run
   * config.
   */
  createProxyMiddleware(
    name: string,
    surroundings: ProxySurroundings,
    given?: GivenSettings,
  ): Promise<CreatedProxyMiddleware>;
  /**
   * Returns the kind's warnings about its settings. Throws what createProxyMiddleware would throw before it
   * creates anything.
   */
  checkProxyMiddleware(name: string, given?: GivenSettings): Promise<readonly string[]>;
  /** Works like createProxyMiddleware. */
  createOutgoingCredentials(
    name: string,
    surroundings: OutgoingCredentialsSurroundings,
    given?: GivenSettings,
  ): Promise<OutgoingCredentials>;
  /** Works like checkProxyMiddleware. */
  checkOutgoingCredentials(name: string, given?: GivenSettings): Promise<readonly string[]>;
  /**
   * Creates a session store; the scheme of the address is the name of the kind. Also throws
   * ERR_SETTING.
   */
  createSessionStore(surroundings: SessionStoreSurroundings): Promise<SessionStore>;
  /** Throws what createSessionStore would throw before it creates anything. */
  checkSessionStore(address: URL): Promise<void>;
  createSecretStore(name: string, surroundings: SecretStoreSurroundings): Promise<CreatedSecretStore>;
  /** Closes instances and plugins in reverse order of creation. Idempotent. */
  close(): Promise<void>;
}

/**
 * Names of kinds, built-in and from plugins. For a scheme with the ecosystem of its text after `://`, for a
 * transport with what it carries.
 */
export type WorkloadKindNames = {
  readonly [List in WorkloadList]: List extends 'schemes'
    ? ReadonlyMap<string, Ecosystem | PackageParser>
    : List extends 'transports'
      ? ReadonlyMap<string, Transport['carries']>
      : readonly string[];
};

/** Settings of a kind that are not in a configuration. */
export interface GivenSettings {
  /** Plain data. References to the environment are not resolved. */
  readonly value: unknown;
  /** Place of the settings for messages, such as `oidc_config`. */
  readonly place: string;
  /** Origin of the settings for messages: the file of a run config. */
  readonly origin: string;
  /**
   * Returns the user's name for a place, such as the flag that sets it. When undefined, messages name the
   * place itself.
   */
  readonly calledOf?: (place: string) => string | undefined;
}

export interface CreatedAuthProvider {
  readonly kind: AuthProviderKind;
  readonly instance: AuthProvider;
}

export interface CreatedProxyMiddleware {
  readonly name: string;
  /** Its slot in the message path. */
  readonly placed: ProxySlot;
  readonly instance: ProxyMiddleware;
}

export interface CreatedSecretStore {
  readonly name: string;
  readonly can: SecretStoreKind['can'];
  readonly store: SecretStore;
}

/** See `Hooks` in the plugin contract. */
export interface WorkloadKernelHooks {
  /**
   * Returns the spec after all taps, which get it frozen. The result shares nothing with other objects.
   * Throws ERR_PLUGIN_HOOK with the names of plugin and hook when a tap throws or returns an invalid spec.
   * The caller checks whether a spec weakens isolation: `check` receives each tap's result and its plugin's
   * name, and an error from it ends the run.
   */
  containerStart(
    spec: ContainerSpec,
    check?: (changed: ContainerSpec, plugin: string) => void,
  ): Promise<ContainerSpec>;
  /** Runs the taps. An error of a tap is logged. */
  containerExit(exit: ContainerExit): Promise<void>;
}
