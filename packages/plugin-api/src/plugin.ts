import type { API_VERSION } from './api-version.ts';
import type { ConfigBlock, ConfigOf } from './config-schema.ts';
import type { TappableHooks } from './hooks.ts';
import type { FindRoute } from './find-route.ts';
import type { FetchOptions, OpenFetch } from './open-fetch.ts';
import type { AuthProviderKind } from './kinds/auth-provider.ts';
import type { MiddlewareKind } from './kinds/middleware.ts';
import type { OutgoingCredentialsKind } from './kinds/outgoing-credentials.ts';
import type { PagesKind } from './kinds/pages.ts';
import type { ProxyMiddlewareKind } from './kinds/proxy-middleware.ts';
import type { RuntimeKind } from './kinds/runtime.ts';
import type { SchemeKind } from './kinds/scheme.ts';
import type { SecretStoreKind } from './kinds/secret-store.ts';
import type { SessionStoreKind } from './kinds/session-store.ts';
import type { SourceKind } from './kinds/source.ts';
import type { TelemetryKind } from './kinds/telemetry.ts';
import type { TransportKind } from './kinds/transport.ts';

/** A plugin declares kinds as data and taps hooks; it has no third way to act. */
export interface Plugin<Options extends ConfigBlock = ConfigBlock> {
  /** The npm name; it stands in logs, errors and taps. */
  readonly name: string;
  readonly apiVersion: typeof API_VERSION;
  /** Schema of the plugin's own `options` in the configuration. */
  readonly options?: Options;
  /** What it adds, as data, read before any of its functions run. */
  readonly contributes?: Contributions;
  /** Taps hooks; called once, after the whole configuration was validated. */
  apply?(context: PluginContext, options: ConfigOf<Options>): void | Promise<void>;
  /** Closes what `apply` opened; called once, when the host stops. */
  close?(): Promise<void>;
}

export interface Contributions {
  readonly sources?: readonly SourceKind[];
  readonly authProviders?: readonly AuthProviderKind[];
  readonly middleware?: readonly MiddlewareKind[];
  readonly runtimes?: readonly RuntimeKind[];
  readonly transports?: readonly TransportKind[];
  readonly schemes?: readonly SchemeKind[];
  readonly secretStores?: readonly SecretStoreKind[];
  readonly telemetry?: readonly TelemetryKind[];
  readonly proxyMiddleware?: readonly ProxyMiddlewareKind[];
  readonly sessionStores?: readonly SessionStoreKind[];
  readonly outgoingCredentials?: readonly OutgoingCredentialsKind[];
  readonly pages?: readonly PagesKind[];
}

/** Structured logging: a static message, data as fields. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Everything a plugin may use of its surroundings. Tests pass their own. */
export interface PluginContext {
  readonly hooks: TappableHooks;
  readonly logger: Logger;
  /** Time of day. */
  readonly clock: () => Date;
  /** Monotonic time in milliseconds, for intervals: it does not jump with the system clock. */
  readonly nowMs: () => number;
  /** In a registry server, through the proxies of `environment`. */
  readonly fetch: typeof globalThis.fetch;
  /** Opens a `fetch` with connections, trust and limits of its own. */
  readonly openFetch: (options: FetchOptions) => Promise<OpenFetch>;
  /** For what connects without them: the rules of `fetch`, and the proxies of `environment`. */
  readonly findRoute: FindRoute;
  /** Variables of the process: what libraries and programs that are started look for there. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder of the configuration file; relative paths in a config block start there. */
  readonly directory: string;
  /**
   * Whether addresses in the block may name loopback hosts without another setting: true for blocks of the registry
   * server's configuration file, false for sources made through the API and for workloads. See `FetchOptions.loopbackFor`.
   */
  readonly trustsLoopback: boolean;
}
