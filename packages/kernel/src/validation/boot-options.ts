import type { Logger, Plugin } from '@portolan/plugin-api';
import type { Environment } from '../config/apply-overrides.ts';
import type { PortolanConfig } from '../config/core-schema.ts';
import type { ConfigOrigin } from '../config/find-config.ts';
import type { LogDestination } from '../logging/logger.ts';
import type { LoadOptions } from '../plugins/plugin-origins.ts';

/** Everything that the kernel takes from its surroundings. */
export interface BootOptions extends ConfigOrigin, LoadOptions {
  /** Dotted path to value, `server.address` for example: stronger than environment and file. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  /** Takes the place of the kernel's own. */
  readonly logger?: Logger;
  /** Where the kernel's own logger writes; left out, to standard error. */
  readonly logDestination?: LogDestination;
  /** Logs everything, whatever the environment says. */
  readonly debug?: boolean;
  /**
   * Plugins that are part of the host, made for the configuration when it is
   * checked: applied before all others, and left out by no configuration.
   */
  readonly builtIn?: (config: PortolanConfig) => readonly Plugin[];
  readonly clock?: () => Date;
  /** Monotonic time in milliseconds; default `performance.now`. */
  readonly nowMs?: () => number;
  /** Left out: one that goes through the proxies of `environment`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Ends the boot; what was opened is closed. */
  readonly signal?: AbortSignal;
}
