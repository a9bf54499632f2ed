import type { Logger, Plugin } from '@portolan/plugin-api';
import type { Environment } from '../config/apply-overrides.ts';
import type { PortolanConfig } from '../config/core-schema.ts';
import type { ConfigOrigin } from '../config/find-config.ts';
import type { LogDestination } from '../logging/logger.ts';
import type { LoadOptions } from '../plugins/plugin-origins.ts';

export interface BootOptions extends ConfigOrigin, LoadOptions {
  /** Values of command-line flags by dotted path. They take precedence over environment and file. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  readonly logger?: Logger;
  /** Destination of the kernel's own logger. Default: standard error. */
  readonly logDestination?: LogDestination;
  readonly debug?: boolean;
  /**
   * Returns the host's own plugins, given the valid configuration. They are applied first, and no
   * configuration can disable them.
   */
  readonly builtIn?: (config: PortolanConfig) => readonly Plugin[];
  readonly clock?: () => Date;
  readonly nowMs?: () => number;
  /** `fetch` for plugins. Default: one that uses the proxies of `environment`. */
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
}
