import type {
  AuthProvider,
  AuthProviderKind,
  ContainerExit,
  ContainerSpec,
  Ecosystem,
  KindProblem,
  Logger,
  OutgoingCredentials,
  OutgoingCredentialsHostContext,
  PackageParser,
  Plugin,
  PluginContext,
  ProxyMiddleware,
  ProxySlot,
  ProxyContext,
  Runtime,
  Scheme,
  SecretStore,
  SecretStoreKind,
  SecretStoreHostContext,
  SessionStore,
  SessionStoreHostContext,
  ToolIndex,
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
  /** Absolute path of the configuration file. Undefined when the workload uses none; there is no search. */
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
   * Creates a runtime with its configured settings. The first use of a built-in runtime imports its package.
   * Throws ERR_KIND_UNKNOWN, ERR_PLUGIN_* and, when required settings are missing, ERR_CONFIG_INVALID.
   */
  createRuntime(name: string): Promise<Runtime>;
  createTransport(name: string): Promise<Transport>;
  createScheme(name: string): Promise<Scheme>;
  /**
   * Creates an auth provider. `settings` replaces its configured settings. Throws like `createRuntime`, and
   * ERR_CONFIG_INVALID when the settings are invalid or the kind does not support workloads.
   */
  createAuthProvider(name: string, settings?: KindSettings): Promise<CreatedAuthProvider>;
  /** Throws what createAuthProvider would throw before it creates anything. */
  checkAuthProvider(name: string, settings?: KindSettings): Promise<void>;
  checkAuthProviderOnline(
    name: string,
    settings: KindSettings,
    signal: AbortSignal,
  ): Promise<readonly KindProblem[]>;
  /**
   * Creates a proxy middleware. `settings`, the settings in a run config, must not contain secrets. Throws like
   * `createAuthProvider`.
   */
  createProxyMiddleware(
    name: string,
    context: ProxyContext,
    settings?: KindSettings,
  ): Promise<CreatedProxyMiddleware>;
  /**
   * Returns warnings of the kind. Throws what createProxyMiddleware would throw before it creates anything.
   */
  checkProxyMiddleware(name: string, settings?: KindSettings): Promise<readonly string[]>;
  createOutgoingCredentials(
    name: string,
    context: OutgoingCredentialsHostContext,
    settings?: KindSettings,
  ): Promise<OutgoingCredentials>;
  checkOutgoingCredentials(name: string, settings?: KindSettings): Promise<readonly string[]>;
  /**
   * Creates the session store whose kind is the scheme of the address. Throws like `createRuntime`, and
   * ERR_SETTING for an invalid address.
   */
  createSessionStore(context: SessionStoreHostContext): Promise<SessionStore>;
  /** Throws what createSessionStore would throw before it creates anything. */
  checkSessionStore(address: URL): Promise<void>;
  createSecretStore(name: string, context: SecretStoreHostContext): Promise<CreatedSecretStore>;
  createToolIndex(name: string): Promise<ToolIndex>;
  /** Throws what createToolIndex would throw before it creates anything. */
  checkToolIndex(name: string): Promise<void>;
  /** Closes everything in reverse order of creation. Idempotent. */
  close(): Promise<void>;
}

/**
 * Names of all kinds of each list. Schemes include their ecosystem, and transports what they carry (messages
 * or HTTP).
 */
export type WorkloadKindNames = {
  readonly [List in WorkloadList]: List extends 'schemes'
    ? ReadonlyMap<string, Ecosystem | PackageParser>
    : List extends 'transports'
      ? ReadonlyMap<string, Transport['carries']>
      : readonly string[];
};

export interface KindSettings {
  readonly value: unknown;
  /** Place of the settings in messages, such as `oidc_config`. */
  readonly place: string;
  readonly origin: string;
  /**
   * Returns what the user calls a place, such as the name of a flag. When undefined, messages show the place
   * itself.
   */
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
   * Runs all taps and returns the final spec. Each tap gets the spec frozen. Throws ERR_PLUGIN_HOOK when a
   * tap throws or returns an invalid spec. `check` is called with the result of each tap and the name of its
   * plugin; an error that `check` throws ends the run.
   */
  containerStart(
    spec: ContainerSpec,
    check?: (changed: ContainerSpec, plugin: string) => void,
  ): Promise<ContainerSpec>;
  containerExit(exit: ContainerExit): Promise<void>;
}
