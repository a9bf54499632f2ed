import type {
  AuthProviderKind,
  MiddlewareKind,
  RuntimeKind,
  SchemeKind,
  SecretStoreKind,
  SourceKind,
  TransportKind,
} from '@portolan/plugin-api';
import type { ShippedKinds } from '../plugins/plugin-origins.ts';
import { kindClash, kindShipped } from '../errors.ts';
import { packagesOf } from './shipped-packages.ts';
import type { LoadedPlugin } from '../plugins/import-plugin.ts';
import { type Refuse, refuseAtOnce } from '../plugins/refused-plugin.ts';

export interface KindEntry<K> {
  readonly kind: K;
  /** Name of the plugin that brings it. */
  readonly plugin: string;
  /** File the plugin was loaded from. */
  readonly file: string;
  readonly shipped: boolean;
  /** Whether its plugin was installed, and no configuration names it. */
  readonly installed?: boolean;
}

export interface KindTable {
  readonly sources: ReadonlyMap<string, KindEntry<SourceKind>>;
  readonly authProviders: ReadonlyMap<string, KindEntry<AuthProviderKind>>;
  readonly middleware: ReadonlyMap<string, KindEntry<MiddlewareKind>>;
  readonly runtimes: ReadonlyMap<string, KindEntry<RuntimeKind>>;
  readonly transports: ReadonlyMap<string, KindEntry<TransportKind>>;
  readonly schemes: ReadonlyMap<string, KindEntry<SchemeKind>>;
  readonly secretStores: ReadonlyMap<string, KindEntry<SecretStoreKind>>;
}

/** Names of kinds that a configuration has keys for: those that plugins have brought, and those that are shipped. */
export type KindNames = { readonly [List in keyof KindTable]: readonly string[] };

/**
 * The kinds of all plugins by name. Two configured plugins with a kind of one
 * name are ERR_PLUGIN_KIND_CLASH. One that has the name of a shipped kind is
 * ERR_PLUGIN_KIND_SHIPPED, unless it is configured to override; this also counts
 * for shipped kinds that are not imported, so that the answer does not depend on
 * what else is configured. A kind whose plugin `refuse` takes note of is left out.
 */
export function collectKinds(
  plugins: readonly LoadedPlugin[],
  shipped: ShippedKinds,
  refuse: Refuse = refuseAtOnce,
): KindTable {
  return {
    sources: collect(
      'source kind',
      plugins,
      shipped.sources,
      ({ plugin }) => plugin.contributes?.sources,
      refuse,
    ),
    authProviders: collect(
      'auth provider',
      plugins,
      shipped.authProviders,
      ({ plugin }) => plugin.contributes?.authProviders,
      refuse,
    ),
    middleware: collect(
      'middleware',
      plugins,
      shipped.middleware,
      ({ plugin }) => plugin.contributes?.middleware,
      refuse,
    ),
    runtimes: collect(
      'runtime',
      plugins,
      shipped.runtimes,
      ({ plugin }) => plugin.contributes?.runtimes,
      refuse,
    ),
    transports: collect(
      'transport',
      plugins,
      shipped.transports,
      ({ plugin }) => plugin.contributes?.transports,
      refuse,
    ),
    schemes: collect(
      'scheme',
      plugins,
      packagesOf(shipped, 'schemes'),
      ({ plugin }) => plugin.contributes?.schemes,
      refuse,
    ),
    secretStores: collect(
      'secret store',
      plugins,
      shipped.secretStores,
      ({ plugin }) => plugin.contributes?.secretStores,
      refuse,
    ),
  };
}

/** All names a kind may be used by: what is in the table, then what is shipped beside it. */
export function nameKinds(kinds: KindTable, shipped: ShippedKinds): KindNames {
  return {
    sources: keysOf(kinds.sources, shipped.sources),
    authProviders: keysOf(kinds.authProviders, shipped.authProviders),
    middleware: keysOf(kinds.middleware, shipped.middleware),
    runtimes: keysOf(kinds.runtimes, shipped.runtimes),
    transports: keysOf(kinds.transports, shipped.transports),
    schemes: keysOf(kinds.schemes, shipped.schemes),
    secretStores: keysOf(kinds.secretStores, shipped.secretStores),
  };
}

function keysOf(table: ReadonlyMap<string, unknown>, more: object = {}): readonly string[] {
  return [...new Set([...table.keys(), ...Object.keys(more)])];
}

function collect<K extends { readonly kind: string }>(
  what: string,
  plugins: readonly LoadedPlugin[],
  shippedNames: Readonly<Record<string, string>> | undefined,
  kindsOf: (plugin: LoadedPlugin) => readonly K[] | undefined,
  refuse: Refuse,
): ReadonlyMap<string, KindEntry<K>> {
  const entries = new Map<string, KindEntry<K>>();
  for (const plugin of plugins.toSorted((left, right) => Number(right.shipped) - Number(left.shipped))) {
    for (const kind of kindsOf(plugin) ?? []) {
      const label = `${what} "${kind.kind}"`;
      const earlier = entries.get(kind.kind);
      const place = { plugin: plugin.plugin.name, file: plugin.file };
      if (earlier !== undefined && earlier.shipped === plugin.shipped) {
        refuse(plugin, kindClash(label, { plugin: earlier.plugin, file: earlier.file }, place));
        continue;
      }
      const shippedBy =
        shippedNames !== undefined && Object.hasOwn(shippedNames, kind.kind)
          ? shippedNames[kind.kind]
          : earlier?.plugin;
      if (!plugin.shipped && shippedBy !== undefined && !plugin.override && shippedBy !== plugin.specifier) {
        refuse(plugin, kindShipped(label, shippedBy, place));
        continue;
      }
      entries.set(kind.kind, {
        kind,
        plugin: plugin.plugin.name,
        file: plugin.file,
        shipped: plugin.shipped,
        ...(plugin.installed === true ? { installed: true } : {}),
      });
    }
  }
  return entries;
}
