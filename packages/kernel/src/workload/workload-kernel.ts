import type {
  AuthProvider,
  AuthProviderKind,
  ContainerExit,
  ContainerSpec,
  Ecosystem,
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

/** Everything that the kernel of workloads takes from its surroundings. */
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
  /** Absolute path. Left out: there is no configuration, and nothing is searched for. */
  readonly configFile?: string | undefined;
  /** Folder that relative paths start from where there is no configuration. Left out: the working directory. */
  readonly directory?: string;
  readonly shipped: ShippedKinds;
  /** Path or file URL of a module from which the shipped packages are found. */
  readonly shippedFrom: string;
  /** Plugins that are part of the host: applied before all others, and left out by no configuration. */
  readonly builtIn?: readonly Plugin[];
  /** Plugins that are handed over as they are. */
  readonly pluginObjects?: readonly PluginObject[];
  /** Those that are Portolan plugins are loaded, also without a configuration that names them. */
  readonly installed?: readonly InstalledPlugin[];
  /** Gets the values of all secret fields, for whoever brings a logger of their own. */
  readonly secrets?: SecretValues;
}

/**
 * What workload commands and supervisors get from `openWorkloadKernel`: the
 * kinds that workloads are made of, and the hooks around them. What was created
 * is closed by `close`.
 */
export interface WorkloadKernel {
  readonly configFile: string | undefined;
  /** Folder that relative paths of the configuration start from. */
  readonly directory: string;
  readonly kinds: WorkloadKindNames;
  readonly logger: Logger;
  readonly hooks: WorkloadKernelHooks;
  /** What a plugin of this name would be handed. */
  contextFor(pluginName: string): PluginContext;
  /**
   * Each makes a new instance, with the settings that the configuration has for
   * the kind. A shipped package is imported when one of its kinds is first asked
   * for. Throws ERR_KIND_UNKNOWN, ERR_PLUGIN_* and, where the kind cannot do
   * without settings and there are none, ERR_CONFIG_INVALID.
   */
  createRuntime(name: string): Promise<Runtime>;
  createTransport(name: string): Promise<Transport>;
  createScheme(name: string): Promise<Scheme>;
  /**
   * As the others; `given` are settings from elsewhere, the run config for
   * example, which take the place of the configuration's. Throws ERR_CONFIG_INVALID
   * also when these are wrong, and when the kind does not serve workloads.
   */
  createAuthProvider(name: string, given?: GivenSettings): Promise<CreatedAuthProvider>;
  /** Throws what createAuthProvider throws before it makes anything. */
  checkAuthProvider(name: string, given?: GivenSettings): Promise<void>;
  /** As createAuthProvider; but settings that are secret stand in the configuration alone, never in a run config. */
  createProxyMiddleware(
    name: string,
    surroundings: ProxySurroundings,
    given?: GivenSettings,
  ): Promise<CreatedProxyMiddleware>;
  /** What the kind tells of its settings and does not refuse. Throws what createProxyMiddleware throws before it makes anything. */
  checkProxyMiddleware(name: string, given?: GivenSettings): Promise<readonly string[]>;
  /** As createProxyMiddleware. */
  createOutgoingCredentials(
    name: string,
    surroundings: OutgoingCredentialsSurroundings,
    given?: GivenSettings,
  ): Promise<OutgoingCredentials>;
  /** As checkProxyMiddleware. */
  checkOutgoingCredentials(name: string, given?: GivenSettings): Promise<readonly string[]>;
  /** The scheme of the address is the name of the kind. Throws ERR_SESSION_STORE_ADDRESS as well. */
  createSessionStore(surroundings: SessionStoreSurroundings): Promise<SessionStore>;
  /** Throws what createSessionStore throws before it makes anything. */
  checkSessionStore(address: URL): Promise<void>;
  createSecretStore(name: string, surroundings: SecretStoreSurroundings): Promise<CreatedSecretStore>;
  /** Closes instances and plugins, in reverse order of their creation; safe to call twice. */
  close(): Promise<void>;
}

/**
 * Names of kinds, shipped and of plugins; of a scheme also whose rules the text
 * behind `://` follows, of a transport what it carries.
 */
export type WorkloadKindNames = {
  readonly [List in WorkloadList]: List extends 'schemes'
    ? ReadonlyMap<string, Ecosystem | PackageParser>
    : List extends 'transports'
      ? ReadonlyMap<string, Transport['carries']>
      : readonly string[];
};

/** Settings of a kind that stand in no configuration. */
export interface GivenSettings {
  /** Plain data; references to the environment are not resolved in it. */
  readonly value: unknown;
  /** Where it stands, for messages: `oidc_config`. */
  readonly place: string;
  /** What it stands in, for messages: the file of a run config. */
  readonly origin: string;
  /** Returns the user's name for a place, such as the flag that sets it. When undefined or left out, messages name the place itself. */
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

/** See `Hooks` of the plugin contract. */
export interface WorkloadKernelHooks {
  /**
   * The spec after all taps, which get it frozen; nothing else holds a part of
   * what they have made of it. Throws ERR_PLUGIN_HOOK, naming plugin and hook,
   * when a tap throws or answers with something that is no spec. Whether the spec
   * weakens isolation is for the caller to check: `check` gets what each tap has
   * made of it and the name of its plugin, and what it throws ends the run.
   */
  containerStart(
    spec: ContainerSpec,
    check?: (changed: ContainerSpec, plugin: string) => void,
  ): Promise<ContainerSpec>;
  /** What a tap throws is logged. */
  containerExit(exit: ContainerExit): Promise<void>;
}
