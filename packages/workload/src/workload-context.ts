import type {
  AuthProvider,
  ContainerExit,
  ContainerSpec,
  Ecosystem,
  FetchOptions,
  KindProblem,
  Logger,
  OpenFetch,
  OutgoingCredentials,
  OutgoingCredentialsHostContext,
  PackageParser,
  ProxyContext,
  Runtime,
  Scheme,
  SecretStore,
  SecretStoreKind,
  Transport,
  SessionStore,
  SessionStoreHostContext,
  ToolIndex,
} from '@portolan/plugin-api';
import type { PlacedProxyMiddleware } from '@portolan/proxy';
import type { KnownTransports, UserSettings } from '@portolan/run-spec';
import type { Directories } from './state/directories.ts';
import type { WorkloadStore } from './state/workload-store.ts';

export interface WorkloadContext {
  readonly directories: Directories;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly workingDirectory: string;
  /** Reads all of standard input as text. */
  readonly readInput?: (signal: AbortSignal) => Promise<string>;
  readonly store: WorkloadStore;
  readonly user: UserSettings;
  readonly kinds: WorkloadKinds;
  readonly hooks: WorkloadHooks;
  readonly logger: Logger;
  /** Whether the user passed `--debug`. */
  readonly isDebug?: boolean;
  readonly clock: () => Date;
  /** Like `PluginContext.openFetch` of the plugin API. The caller closes what it opens. */
  readonly openFetch: (options: FetchOptions) => Promise<OpenFetch>;
  /** Returns the IP addresses of a host name. Rejects as `dns.lookup` does. */
  readonly lookUpHost: (hostname: string) => Promise<readonly string[]>;
  /** Replaces the certificates (PEM) that this process trusts. */
  readonly trustOnly: (certificates: string) => void;
  /** Returns the password that opened the secret store, which a supervisor needs to store renewed tokens. */
  readonly storePassword?: () => string | undefined;
  /** Program and first arguments with which other programs start `portolan`. Default: `portolan`. */
  readonly launcher?: readonly string[];
  /** Groups that the command creates before it runs what it plans. A plan counts them as existing. */
  readonly plannedGroups?: ReadonlySet<string>;
  readonly version: string;
}

/**
 * Access to the plugin kinds that the program and its plugins provide, such as transports and secret stores.
 * Each instance is created on first use and closed by the owner of the context. Throws ERR_KIND_UNKNOWN.
 */
export interface WorkloadKinds {
  /** Parsers of package references, by scheme. Each parses the text after `://`. */
  readonly schemes: ReadonlyMap<string, Ecosystem | PackageParser>;
  readonly transports: KnownTransports;
  readonly secretStores: readonly string[];
  openRuntime(): Promise<Runtime>;
  openTransport(name: string): Promise<Transport>;
  openScheme(name: string): Promise<Scheme>;
  openSecretStore(name: string): Promise<OpenSecretStore>;
  /**
   * Checks the settings of a middleware and returns warnings. Throws ERR_KIND_UNKNOWN and ERR_CONFIG_INVALID.
   */
  checkProxyMiddleware(name: string, settings: KindSettings | undefined): Promise<readonly string[]>;
  /**
   * Returns a new instance, which is closed together with the context. Throws like `checkProxyMiddleware`.
   */
  openProxyMiddleware(
    name: string,
    context: ProxyContext,
    settings: KindSettings | undefined,
  ): Promise<PlacedProxyMiddleware>;
  /** Checks the address of a session store. Throws ERR_KIND_UNKNOWN and ERR_SETTING. */
  checkSessionStore(address: URL): Promise<void>;
  /** Returns a store, which is closed together with the context. Throws like `checkSessionStore`. */
  openSessionStore(context: SessionStoreHostContext): Promise<SessionStore>;
  /** Checks the configured settings of a tool index. Throws ERR_KIND_UNKNOWN and ERR_CONFIG_INVALID. */
  checkToolIndex(name: string): Promise<void>;
  /** Returns an index, which is closed together with the context. Throws like `checkToolIndex`. */
  openToolIndex(name: string): Promise<ToolIndex>;
  /** Checks the settings of a credentials kind and returns warnings. Throws like `checkProxyMiddleware`. */
  checkOutgoingCredentials(name: string, settings: KindSettings | undefined): Promise<readonly string[]>;
  /**
   * Returns a new instance, which is closed together with the context. Throws like
   * `checkOutgoingCredentials`.
   */
  openOutgoingCredentials(
    name: string,
    context: OutgoingCredentialsHostContext,
    settings: KindSettings | undefined,
  ): Promise<OutgoingCredentials>;
  /** Checks the settings of an auth provider. Throws ERR_KIND_UNKNOWN and ERR_CONFIG_INVALID. */
  checkAuthProvider(name: string, settings: KindSettings): Promise<void>;
  /**
   * Returns settings that contradict the metadata which the provider publishes; see
   * `AuthProviderKind.checkOnline`.
   */
  checkAuthProviderOnline(
    name: string,
    settings: KindSettings,
    signal: AbortSignal,
  ): Promise<readonly KindProblem[]>;
  /** Returns a new instance, which is closed together with the context. Throws like `checkAuthProvider`. */
  openAuthProvider(name: string, settings: KindSettings): Promise<OpenAuthProvider>;
}

export interface KindSettings {
  readonly value: unknown;
  /** Path of the settings in the run config, for messages. */
  readonly place: string;
  /** Name of the document with the settings, for messages. */
  readonly origin: string;
  /** Returns how the user knows a path of the settings, such as the flag that sets it. */
  readonly calledOf?: (place: string) => string | undefined;
}

export interface OpenSecretStore {
  readonly name: string;
  readonly can: SecretStoreKind['can'];
  readonly store: SecretStore;
}

export interface OpenAuthProvider {
  readonly instance: AuthProvider;
  /** Whether requests must carry an identity. */
  readonly identifies: boolean;
}

export interface ContainerRules {
  readonly harden: (spec: ContainerSpec) => ContainerSpec;
  readonly check: (changed: ContainerSpec, plugin: string) => void;
}

/** Hooks of a workload; see `Hooks` of the plugin API. */
export interface WorkloadHooks {
  /**
   * Runs the taps. `harden` is the built-in tap, and `check` sees the result of each plugin. Throws
   * ERR_PLUGIN_HOOK when a tap throws or returns an invalid spec, and the errors of `check`.
   */
  containerStart(draft: ContainerSpec, rules: ContainerRules): Promise<ContainerSpec>;
  /** Runs the taps and logs what they throw. */
  containerExit(exit: ContainerExit): Promise<void>;
}
