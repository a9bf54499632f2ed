import type { Ecosystem, Host, Plugin, Transport } from '@portolan/plugin-api';
import type { KindList } from '../kind-lists/kind-lists.ts';

/** Kinds that a host ships: name of the kind to name of the package, imported when a configuration uses the kind. */
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

/** What has to be known before its package is imported of an auth provider that does not serve every program. */
export interface ShippedAuthProvider {
  readonly package: string;
  /** As its kind says. */
  readonly hosts: readonly Host[];
}

/** What has to be known of a scheme before its package is imported. */
export interface ShippedScheme {
  readonly package: string;
  /** As its kind says: whose rules the text behind `://` follows. */
  readonly packages: Ecosystem;
}

/** What has to be known of a transport before its package is imported. */
export interface ShippedTransport {
  readonly package: string;
  /** As its kind says. */
  readonly carries: Transport['carries'];
}

/** For hosts that ship no kinds. */
export const NOTHING_SHIPPED: ShippedKinds = {};

/** A package that was installed for Portolan by itself, beside no configuration. */
export interface InstalledPlugin {
  /** npm name, or absolute path of its folder. */
  readonly specifier: string;
  /** Path of a file, which need not exist, in the folder it is found from. */
  readonly from: string;
}

/** A plugin that is handed over as it is, instead of being named in the configuration. */
export interface PluginObject {
  readonly plugin: Plugin;
  readonly options?: unknown;
  readonly override?: boolean;
}

/** Where plugins come from, and how long they may take. */
export interface LoadOptions {
  readonly shipped?: ShippedKinds;
  /** Path or file URL of a module from which the shipped packages are found. */
  readonly shippedFrom?: string;
  readonly pluginObjects?: readonly PluginObject[];
  /** A plugin that the configuration names and that is not found from there is looked for among these. */
  readonly installed?: readonly InstalledPlugin[];
  /** Most time for one call into a plugin: to load, create, apply, close, or hear what happened. Left out: 30 s. */
  readonly pluginTimeoutMs?: number;
}
