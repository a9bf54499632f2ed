import type { TappableHooks } from './hooks.ts';
import type { FindRoute } from './find-route.ts';
import type { FetchOptions, OpenFetch } from './open-fetch.ts';

/** Logger for plugins. Pass a constant message, and variable data as fields. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Everything that a plugin may use of its environment. Tests pass their own. */
export interface PluginContext {
  readonly hooks: TappableHooks;
  readonly logger: Logger;
  /** Time of day. */
  readonly clock: () => Date;
  /** Monotonic time in milliseconds, for intervals. */
  readonly nowMs: () => number;
  /** Like the global `fetch`. In a registry server, it uses the proxies of `environment`. */
  readonly fetch: typeof globalThis.fetch;
  /** Opens a separate `fetch` with its own connections, trusted authorities and address limits. */
  readonly openFetch: (options: FetchOptions) => Promise<OpenFetch>;
  /**
   * Finds the route for connections other than HTTP. It follows the rules of `fetch` and the proxies of
   * `environment`.
   */
  readonly findRoute: FindRoute;
  /** Environment variables of the process, for libraries and child processes. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder to which relative paths in a config block refer. */
  readonly directory: string;
  /**
   * Addresses in the block may use loopback hosts: true for the registry server's configuration file, false
   * for sources from the API and for workloads. See `FetchOptions.loopbackFor`.
   */
  readonly trustsLoopback: boolean;
}
