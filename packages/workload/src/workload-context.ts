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

/** Environment and services that the run path and the supervisor use. */
export interface WorkloadContext {
  readonly directories: Directories;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly workingDirectory: string;
  /** Reads all of standard input. Left out when standard input holds nothing. */
  readonly readInput?: (signal: AbortSignal) => Promise<string>;
  readonly store: WorkloadStore;
  /** Content of the user's `config.yaml`. */
  readonly user: UserSettings;
  readonly kinds: WorkloadKinds;
  readonly hooks: WorkloadHooks;
  readonly logger: Logger;
  /** Whether the user passed `--debug`. Default: false. */
  readonly isDebug?: boolean;
  readonly clock: () => Date;
  /** Like `PluginContext.openFetch` of the plugin API. The caller closes what it opens. */
  readonly openFetch: (options: FetchOptions) => Promise<OpenFetch>;
  /** Returns the IP addresses of a host name. Rejects as `dns.lookup` does. */
  readonly lookUpHost: (hostname: string) => Promise<readonly string[]>;
  /**
   * Makes every later request of this process trust these certificates (PEM) instead of those of the system.
   */
  readonly trustOnly: (certificates: string) => void;
  /**
   * Returns the password that opened the secret store in this process; undefined when none was needed. A
   * supervisor needs it to store renewed tokens without asking the user.
   */
  readonly storePassword?: () => string | undefined;
  /**
   * Program and first arguments that start `portolan`, for files from which other programs start it. Default:
   * `portolan`.
   */
  readonly launcher?: readonly string[];
  /** Portolan's version, for handshakes with servers and for labels. */
  readonly version: string;
}

/**
 * Kinds that workloads are made of, built in and from plugins. Loads a plugin and creates an instance on
 * first use; the owner of the context closes them. Throws ERR_KIND_UNKNOWN with the known names.
 */
export interface WorkloadKinds {
  /** Parsers by scheme, each for the text after `://`. */
  readonly schemes: ReadonlyMap<string, Ecosystem | PackageParser>;
  readonly transports: KnownTransports;
  readonly secretStores: readonly string[];
  openRuntime(): Promise<Runtime>;
  openTransport(name: string): Promise<Transport>;
  openScheme(name: string): Promise<Scheme>;
  openSecretStore(name: string): Promise<OpenSecretStore>;
  /**
   * Checks the name and settings of a proxy middleware and returns its warnings about the settings. Throws
   * ERR_CONFIG_INVALID too.
   */
  checkProxyMiddleware(name: string, given: GivenSettings | undefined): Promise<readonly string[]>;
  /** Returns a new instance, which is closed with the context. Throws like `checkProxyMiddleware`. */
  openProxyMiddleware(
    name: string,
    surroundings: ProxySurroundings,
    given: GivenSettings | undefined,
  ): Promise<PlacedProxyMiddleware>;
  /**
   * Checks that a session store exists for the scheme of the address and accepts the address. Throws
   * ERR_SETTING too.
   */
  checkSessionStore(address: URL): Promise<void>;
  /** Returns a session store that is closed with the context. Throws like `checkSessionStore`. */
  openSessionStore(surroundings: SessionStoreSurroundings): Promise<SessionStore>;
  /** Like `checkProxyMiddleware`, for credentials that the proxy sends to a remote server. */
  checkOutgoingCredentials(name: string, given: GivenSettings | undefined): Promise<readonly string[]>;
  /** Returns a new instance, which is closed with the context. Throws like `checkOutgoingCredentials`. */
  openOutgoingCredentials(
    name: string,
    surroundings: OutgoingCredentialsSurroundings,
    given: GivenSettings | undefined,
  ): Promise<OutgoingCredentials>;
  /** Checks that the auth provider exists and accepts its settings. Throws ERR_CONFIG_INVALID too. */
  checkAuthProvider(name: string, given: GivenSettings): Promise<void>;
  /**
   * Returns contradictions between the settings and the provider's published metadata; see
   * `AuthProviderKind.checkOnline`.
   */
  checkAuthProviderOnline(
    name: string,
    given: GivenSettings,
    signal: AbortSignal,
  ): Promise<readonly KindProblem[]>;
  /** Returns a new instance, which is closed with the context. Throws like `checkAuthProvider`. */
  openAuthProvider(name: string, given: GivenSettings): Promise<OpenAuthProvider>;
}

/** Settings of a kind in a run config. */
export interface GivenSettings {
  readonly value: unknown;
  /** Path of the settings in the run config, for messages. */
  readonly place: string;
  /** Document that contains the settings, for messages. */
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
  /** Whether requests must carry an identity. */
  readonly identifies: boolean;
}

/** Rules that apply to one container when it starts. */
export interface ContainerRules {
  readonly harden: (spec: ContainerSpec) => ContainerSpec;
  readonly check: (changed: ContainerSpec, plugin: string) => void;
}

/** Hooks in the form that the run path calls; see `Hooks` of the plugin API. */
export interface WorkloadHooks {
  /**
   * Runs the taps on a container spec. `harden` is applied to this spec as the built-in tap, and `check` sees
   * the result of each plugin. Throws ERR_PLUGIN_HOOK when a tap throws or returns an invalid spec, and
   * whatever `check` throws.
   */
  containerStart(draft: ContainerSpec, rules: ContainerRules): Promise<ContainerSpec>;
  /** Runs the taps and logs what they throw. */
  containerExit(exit: ContainerExit): Promise<void>;
}
