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
  /** Path or file URL of a module that resolves built-in packages. */
  readonly shippedFrom: string;
  /** Plugins of the host, which are applied first and which no configuration can disable. */
  readonly builtIn?: readonly Plugin[];
  readonly pluginObjects?: readonly PluginObject[];
  /** Packages whose plugins are loaded even without a configuration. */
  readonly installed?: readonly InstalledPlugin[];
  readonly secrets?: SecretValues;
}

export interface WorkloadKernel {
  readonly configFile: string | undefined;
  readonly directory: string;
  readonly kinds: WorkloadKindNames;
  readonly logger: Logger;
  readonly hooks: WorkloadKernelHooks;
  contextFor(pluginName: string): PluginContext;
  /**
   * Creates an instance with the configured settings. The first use imports a built-in package. Throws
   * ERR_KIND_UNKNOWN, ERR_PLUGIN_* and, when required settings are missing, ERR_CONFIG_INVALID.
   */
  createRuntime(name: string): Promise<Runtime>;
  createTransport(name: string): Promise<Transport>;
  createScheme(name: string): Promise<Scheme>;
  /**
   * Creates a provider like `createRuntime`. `given` settings replace configured ones. Also throws
   * ERR_CONFIG_INVALID when they are invalid or the kind does not support workloads.
   */
  createAuthProvider(name: string, given?: GivenSettings): Promise<CreatedAuthProvider>;
  /** Throws what createAuthProvider would throw before it creates anything. */
  checkAuthProvider(name: string, given?: GivenSettings): Promise<void>;
  checkAuthProviderOnline(
    name: string,
    given: GivenSettings,
    signal: AbortSignal,
  ): Promise<readonly KindProblem[]>;
  /** Works like createAuthProvider, but a run config must not contain secret settings. */
  createProxyMiddleware(
    name: string,
    surroundings: ProxySurroundings,
    given?: GivenSettings,
  ): Promise<CreatedProxyMiddleware>;
  /**
   * Returns warnings of the kind. Throws what createProxyMiddleware would throw before it creates anything.
   */
  checkProxyMiddleware(name: string, given?: GivenSettings): Promise<readonly string[]>;
  createOutgoingCredentials(
    name: string,
    surroundings: OutgoingCredentialsSurroundings,
    given?: GivenSettings,
  ): Promise<OutgoingCredentials>;
  checkOutgoingCredentials(name: string, given?: GivenSettings): Promise<readonly string[]>;
  /** Creates the store of the kind that the scheme names. Also throws ERR_SETTING. */
  createSessionStore(surroundings: SessionStoreSurroundings): Promise<SessionStore>;
  /** Throws what createSessionStore would throw before it creates anything. */
  checkSessionStore(address: URL): Promise<void>;
  createSecretStore(name: string, surroundings: SecretStoreSurroundings): Promise<CreatedSecretStore>;
  /** Closes everything in reverse order of creation. Idempotent. */
  close(): Promise<void>;
}

/** Names of all kinds: of schemes with their ecosystem, of transports with what they carry. */
export type WorkloadKindNames = {
  readonly [List in WorkloadList]: List extends 'schemes'
    ? ReadonlyMap<string, Ecosystem | PackageParser>
    : List extends 'transports'
      ? ReadonlyMap<string, Transport['carries']>
      : readonly string[];
};

export interface GivenSettings {
  readonly value: unknown;
  /** Place in messages, such as `oidc_config`. */
  readonly place: string;
  readonly origin: string;
  /** Returns the user's name for a place, such as its flag. When undefined, messages name the place. */
  readonly calledOf?: (place: string) => string | undefined;
}

export interface CreatedAuthProvider {
  readonly kind: AuthProviderKind;
  readonly instance: AuthProvider;
}

export interface CreatedProxyMiddleware {
  readonly name: string;
  readonly placed: ProxySlot;
  readonly instance: ProxyMiddleware;
}

export interface CreatedSecretStore {
  readonly name: string;
  readonly can: SecretStoreKind['can'];
  readonly store: SecretStore;
}

export interface WorkloadKernelHooks {
  /**
   * Returns the spec after all taps, which get it frozen. Throws ERR_PLUGIN_HOOK when a tap throws or returns
   * an invalid spec. `check` gets each tap's result with its plugin, and ends the run by an error.
   */
  containerStart(
    spec: ContainerSpec,
    check?: (changed: ContainerSpec, plugin: string) => void,
  ): Promise<ContainerSpec>;
  containerExit(exit: ContainerExit): Promise<void>;
}
