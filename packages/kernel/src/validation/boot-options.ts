import type { Logger, Plugin } from '@portolan/plugin-api';
import type { Environment } from '../config/apply-overrides.ts';
import type { PortolanConfig } from '../config/core-schema.ts';
import type { ConfigOrigin } from '../config/find-config.ts';
import type { LogDestination } from '../logging/logger.ts';
import type { LoadOptions } from '../plugins/plugin-origins.ts';

/** Everything that the kernel takes from its environment. */
export interface BootOptions extends ConfigOrigin, LoadOptions {
  /** Dotted path, such as `server.address`, to value. Takes precedence over environment and file. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  /** Replaces the kernel's own logger. */
  readonly logger?: Logger;
  /** Destination of the kernel's own logger. Default: standard error. */
  readonly logDestination?: LogDestination;
  /** Logs everything, whatever the environment says. */
  readonly debug?: boolean;
  /**
   * Returns plugins that are part of the host, once the configuration is validated. They are applied before
   * all others, and no configuration can disable them.
   */
  readonly builtIn?: (config: PortolanConfig) => readonly Plugin[];
  readonly clock?: () => Date;
  /** Monotonic time in milliseconds. Default: `performance.now`. */
  readonly nowMs?: () => number;
  /** Default: a fetch that uses the proxies of `environment`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Aborts the boot; what was opened is closed. */
  readonly signal?: AbortSignal;
}
