import type { Logger, Plugin } from '@portolan/plugin-api';
import type { Environment } from './config/apply-overrides.ts';
import type { ConfigOrigin } from './config/find-config.ts';
import type { LogDestination } from './logger.ts';

/** Kinds that a host ships: name of the kind to name of the package, imported when a configuration uses the kind. */
export interface ShippedKinds {
  readonly sources: Readonly<Record<string, string>>;
  readonly authProviders: Readonly<Record<string, string>>;
  readonly middleware: Readonly<Record<string, string>>;
  readonly runtimes?: Readonly<Record<string, string>>;
  readonly transports?: Readonly<Record<string, string>>;
  readonly schemes?: Readonly<Record<string, string>>;
  readonly secretStores?: Readonly<Record<string, string>>;
}

/** A plugin that is handed over as it is, instead of being named in the configuration. */
export interface PluginObject {
  readonly plugin: Plugin;
  readonly options?: unknown;
  readonly override?: boolean;
}

/** Everything that the kernel takes from its surroundings. */
export interface BootOptions extends ConfigOrigin {
  /** Dotted path to value, `server.address` for example: stronger than environment and file. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  readonly shipped?: ShippedKinds;
  /** Path or file URL of a module from which the shipped packages are found. */
  readonly shippedFrom?: string;
  readonly pluginObjects?: readonly PluginObject[];
  /** Takes the place of the kernel's own. */
  readonly logger?: Logger;
  /** Where the kernel's own logger writes; left out, to standard error. */
  readonly logDestination?: LogDestination;
  /** Logs everything, whatever the environment says. */
  readonly debug?: boolean;
  readonly clock?: () => Date;
  readonly fetch?: typeof globalThis.fetch;
  /** Most time for one call into a plugin: to load, create, apply, close, or hear what happened. Left out: 30 s. */
  readonly pluginTimeoutMs?: number;
  /** Ends the boot; what was opened is closed. */
  readonly signal?: AbortSignal;
}
