import type { Ecosystem, Host, Plugin, Transport } from '@portolan/plugin-api';
import type { KindList } from '../kind-lists/kind-lists.ts';

/**
 * Built-in kinds of a host: kind name to package name. A package is imported when a configuration uses its
 * kind.
 */
export type ShippedKinds = {
  readonly [List in KindList]?: Readonly<Record<string, ShippedKind<List>>>;
};

type ShippedKind<List> = List extends 'schemes'
  ? ShippedScheme
  : List extends 'transports'
    ? ShippedTransport
    : List extends 'authProviders'
      ? string | ShippedAuthProvider
      : string;

/** Properties of an auth provider for specific hosts that are needed before its package is imported. */
export interface ShippedAuthProvider {
  readonly package: string;
  /** As in its kind. */
  readonly hosts: readonly Host[];
}

/** Properties of a scheme that are needed before its package is imported. */
export interface ShippedScheme {
  readonly package: string;
  /** As in its kind: the ecosystem whose rules the text after `://` follows. */
  readonly packages: Ecosystem;
}

/** Properties of a transport that are needed before its package is imported. */
export interface ShippedTransport {
  readonly package: string;
  /** As in its kind. */
  readonly carries: Transport['carries'];
}

/** For hosts without built-in kinds. */
export const NOTHING_SHIPPED: ShippedKinds = {};

/** A package installed for Portolan without being named in a configuration. */
export interface InstalledPlugin {
  /** npm name, or absolute path of its folder. */
  readonly specifier: string;
  /** Path of a file, which need not exist, in the folder from which the package is resolved. */
  readonly from: string;
}

/** A plugin passed as an object instead of being named in the configuration. */
export interface PluginObject {
  readonly plugin: Plugin;
  readonly options?: unknown;
  readonly override?: boolean;
}

/** Origins and timeouts of plugins. */
export interface LoadOptions {
  readonly shipped?: ShippedKinds;
  /** Path or file URL of a module from which built-in packages are resolved. */
  readonly shippedFrom?: string;
  readonly pluginObjects?: readonly PluginObject[];
  /** Searched for plugins that cannot be resolved from the configuration. */
  readonly installed?: readonly InstalledPlugin[];
  /**
   * Timeout of one call into a plugin (load, create, apply, close, notify), in milliseconds. Default: 30 s.
   */
  readonly pluginTimeoutMs?: number;
}
