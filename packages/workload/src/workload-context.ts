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
  OutgoingCredentialsSurroundings,
  PackageParser,
  ProxySurroundings,
  Runtime,
  Scheme,
  SecretStore,
  SecretStoreKind,
  Transport,
  SessionStore,
  SessionStoreSurroundings,
} from '@portolan/plugin-api';
import type { PlacedProxyMiddleware } from '@portolan/proxy';
import type { KnownTransports, UserSettings } from '@portolan/run-spec';
import type { Directories } from './state/directories.ts';
import type { WorkloadStore } from './state/workload-store.ts';

/** Everything that the run path and the supervisor take from their surroundings. */
export interface WorkloadContext {
  readonly directories: Directories;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly workingDirectory: string;
  /** All of standard input, for a command that is told to read it; left out: nothing stands there. */
  readonly readInput?: (signal: AbortSignal) => Promise<string>;
  readonly store: WorkloadStore;
  /** Content of the user's `config.yaml`. */
  readonly user: UserSettings;
  readonly kinds: WorkloadKinds;
  readonly hooks: WorkloadHooks;
  readonly logger: Logger;
  /** Whether the user asked for details with `--debug`; left out: no. */
  readonly isDebug?: boolean;
  readonly clock: () => Date;
  /** As `PluginContext.openFetch` of the plugin contract; whoever opens one closes it. */
  readonly openFetch: (options: FetchOptions) => Promise<OpenFetch>;
  /** Returns the IP addresses of a host name. Rejects as `dns.lookup` does. */
  readonly lookUpHost: (hostname: string) => Promise<readonly string[]>;
  /** From now on, these certificates (PEM) are trusted instead of those of the system, in every request of this process. */
  readonly trustOnly: (certificates: string) => void;
  /**
   * What has opened the secret store in this process, for a supervisor that has
   * to keep renewed tokens there and can ask nobody; undefined where nothing had to.
   */
  readonly storePassword?: () => string | undefined;
  /** The program of the command line and what stands before its own words, for files from which others start it; left out: `portolan`. */
  readonly launcher?: readonly string[];
  /** Our version, for servers that are greeted and for labels. */
  readonly version: string;
}

/**
 * The kinds that workloads are made of, shipped and of plugins. A plugin is
 * imported and an instance made when it is first asked for; whoever opened the
 * context closes them. Throws ERR_KIND_UNKNOWN with the names that there are.
 */
export interface WorkloadKinds {
  /** By scheme: whose rules the text behind `://` follows. */
  readonly schemes: ReadonlyMap<string, Ecosystem | PackageParser>;
  readonly transports: KnownTransports;
  readonly secretStores: readonly string[];
  openRuntime(): Promise<Runtime>;
  openTransport(name: string): Promise<Transport>;
  openScheme(name: string): Promise<Scheme>;
  openSecretStore(name: string): Promise<OpenSecretStore>;
  /** Sees that there is such proxy middleware, and gives what it tells of its settings and does not refuse. Throws ERR_CONFIG_INVALID as well. */
  checkProxyMiddleware(name: string, given: GivenSettings | undefined): Promise<readonly string[]>;
  /** A new one each time; it is closed with the context. Throws what the check throws. */
  openProxyMiddleware(
    name: string,
    surroundings: ProxySurroundings,
    given: GivenSettings | undefined,
  ): Promise<PlacedProxyMiddleware>;
  /** Whether there is a store for addresses of that scheme, and it can use this one. Throws ERR_SETTING as well. */
  checkSessionStore(address: URL): Promise<void>;
  /** It is closed with the context. Throws what the check throws. */
  openSessionStore(surroundings: SessionStoreSurroundings): Promise<SessionStore>;
  /** As checkProxyMiddleware, of what proves to a remote server who asks. */
  checkOutgoingCredentials(name: string, given: GivenSettings | undefined): Promise<readonly string[]>;
  /** A new one each time; it is closed with the context. Throws what the check throws. */
  openOutgoingCredentials(
    name: string,
    surroundings: OutgoingCredentialsSurroundings,
    given: GivenSettings | undefined,
  ): Promise<OutgoingCredentials>;
  /** Whether there is such an auth provider, and its settings are right. Throws ERR_CONFIG_INVALID as well. */
  checkAuthProvider(name: string, given: GivenSettings): Promise<void>;
  /** Returns what providers publish that makes the settings useless; see `AuthProviderKind.checkOnline`. */
  checkAuthProviderOnline(
    name: string,
    given: GivenSettings,
    signal: AbortSignal,
  ): Promise<readonly KindProblem[]>;
  /** A new one; it is closed with the context. Throws what the check throws. */
  openAuthProvider(name: string, given: GivenSettings): Promise<OpenAuthProvider>;
}

/** Settings of a kind that stand in a run config. */
export interface GivenSettings {
  readonly value: unknown;
  /** Where they stand, for messages. */
  readonly place: string;
  /** What they stand in, for messages. */
  readonly origin: string;
  /** Returns the user's name for a place, such as the flag that sets it. When undefined or left out, messages name the place itself. */
  readonly calledOf?: (place: string) => string | undefined;
}

export interface OpenSecretStore {
  readonly name: string;
  readonly can: SecretStoreKind['can'];
  readonly store: SecretStore;
}

export interface OpenAuthProvider {
  readonly instance: AuthProvider;
  /** Whether requests have to carry what says who sent them. */
  readonly identifies: boolean;
}

/** What is said of one container for its start. */
export interface ContainerRules {
  readonly harden: (spec: ContainerSpec) => ContainerSpec;
  readonly check: (changed: ContainerSpec, plugin: string) => void;
}

/** The hooks as the run path runs them; see `Hooks` of the plugin contract. */
export interface WorkloadHooks {
  /**
   * Throws ERR_PLUGIN_HOOK when a tap throws or answers with something that is no
   * spec, and what `check` throws, which sees what each plugin has made of it.
   * `harden` is what the built-in tap does to this spec.
   */
  containerStart(draft: ContainerSpec, rules: ContainerRules): Promise<ContainerSpec>;
  /** What a tap throws is logged. */
  containerExit(exit: ContainerExit): Promise<void>;
}
