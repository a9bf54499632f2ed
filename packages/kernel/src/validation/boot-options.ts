import type { Logger, Plugin } from '@portolan/plugin-api';
import type { Environment } from '../config/apply-overrides.ts';
import type { PortolanConfig } from '../config/core-schema.ts';
import type { ConfigOrigin } from '../config/find-config.ts';
import type { LogDestination } from '../logging/logger.ts';
import type { LoadOptions } from '../plugins/plugin-origins.ts';

export interface BootOptions extends ConfigOrigin, LoadOptions {
  /** Values by dotted path, which take precedence over environment and file. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  readonly logger?: Logger;
  /** Destination of the kernel's own logger. Default: standard error. */
  readonly logDestination?: LogDestination;
  readonly debug?: boolean;
  /**
   * Returns plugins of the host for a valid configuration. They are applied first, and no configuration can
   * disable them.
   */
  readonly builtIn?: (config: PortolanConfig) => readonly Plugin[];
  readonly clock?: () => Date;
  readonly nowMs?: () => number;
  /** Default: a fetch with the proxies of `environment`. */
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
}
