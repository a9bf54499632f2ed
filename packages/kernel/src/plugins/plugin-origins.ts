import type { Ecosystem, Host, Plugin, Transport } from '@portolan/plugin-api';
import type { KindList } from '../kind-lists/kind-lists.ts';

/** Packages of a host's built-in kinds by name, imported when a configuration uses the kind. */
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

export interface ShippedAuthProvider {
  readonly package: string;
  readonly hosts: readonly Host[];
}

export interface ShippedScheme {
  readonly package: string;
  /** Ecosystem that defines the syntax of the text after `://`. */
  readonly packages: Ecosystem;
}

export interface ShippedTransport {
  readonly package: string;
  readonly carries: Transport['carries'];
}

export const NOTHING_SHIPPED: ShippedKinds = {};

export interface InstalledPlugin {
  readonly specifier: string;
  /** Path of a file whose folder resolves the package. The file need not exist. */
  readonly from: string;
}

export interface PluginObject {
  readonly plugin: Plugin;
  readonly options?: unknown;
  readonly override?: boolean;
}

export interface LoadOptions {
  readonly shipped?: ShippedKinds;
  /** Path or file URL of a module that resolves built-in packages. */
  readonly shippedFrom?: string;
  readonly pluginObjects?: readonly PluginObject[];
  readonly installed?: readonly InstalledPlugin[];
  /** Timeout of one call into a plugin, in milliseconds. Default: 30 s. */
  readonly pluginTimeoutMs?: number;
}
