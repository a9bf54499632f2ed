import type { TappableHooks } from './hooks.ts';
import type { FindRoute } from './find-route.ts';
import type { FetchOptions, OpenFetch } from './open-fetch.ts';

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
