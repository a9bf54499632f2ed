import type { AuthProviderKind, MiddlewareKind, SourceKind } from '@portolan/plugin-api';

export interface KindEntry<K> {
  readonly kind: K;
  /** Name of the plugin that brings it. */
  readonly plugin: string;
  /** File the plugin was loaded from. */
  readonly file: string;
  readonly shipped: boolean;
}

export interface KindTable {
  readonly sources: ReadonlyMap<string, KindEntry<SourceKind>>;
  readonly authProviders: ReadonlyMap<string, KindEntry<AuthProviderKind>>;
  readonly middleware: ReadonlyMap<string, KindEntry<MiddlewareKind>>;
}
