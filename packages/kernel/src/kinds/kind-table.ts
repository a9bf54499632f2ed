import type { Host } from '@portolan/plugin-api';
import type { ShippedKinds } from '../plugins/plugin-origins.ts';
import { kindClash, kindShipped } from './kind-errors.ts';
import { calledOf, KIND_LIST_NAMES, type KindList, type KindOf } from '../kind-lists/kind-lists.ts';
import { packagesOf } from './shipped-packages.ts';
import type { LoadedPlugin } from '../plugins/import-plugin.ts';
import { type Refuse, refuseAtOnce } from '../plugins/refused-plugin.ts';

export interface KindEntry<K> {
  readonly kind: K;
  readonly plugin: string;
  readonly file: string;
  readonly shipped: boolean;
  readonly installed?: boolean;
  /**
   * Name to add to `plugins` when the plugin is installed but not configured. Undefined for a configured or
   * built-in plugin.
   */
  readonly installedAs?: string;
}

export type KindTable = {
  readonly [List in KindList]: ReadonlyMap<string, KindEntry<KindOf<List>>>;
};

export type KindNames = { readonly [List in keyof KindTable]: readonly string[] };

/**
 * Returns the kinds of all plugins by name. Throws ERR_PLUGIN_KIND_CLASH when two plugins have a kind of the
 * same name, or one overrides a built-in kind without permission. Omits kinds of plugins that `refuse`
 * records.
 */
export function collectKinds(
  plugins: readonly LoadedPlugin[],
  shipped: ShippedKinds,
  refuse: Refuse = refuseAtOnce,
): KindTable {
  // SAFETY: the result contains every list with the kinds of that list.
  return forEachList((list) =>
    collect(list, plugins, packagesOf(shipped, list), refuse),
  ) as unknown as KindTable;
}

export function nameKinds(kinds: KindTable, shipped: ShippedKinds, host: Host): KindNames {
  const serving = (list: KindList): readonly string[] =>
    Object.entries<unknown>(shipped[list] ?? {}).flatMap(([name, brought]) =>
      servesAnother(brought, host) ? [] : [name],
    );
  // SAFETY: the result contains every list.
  return forEachList((list) => keysOf(kinds[list], serving(list))) as KindNames;
}

function servesAnother(brought: unknown, host: Host): boolean {
  if (typeof brought !== 'object' || brought === null || !('hosts' in brought)) return false;
  return Array.isArray(brought.hosts) && !brought.hosts.includes(host);
}

function forEachList<Made>(make: (list: KindList) => Made): Readonly<Record<string, Made>> {
  return Object.fromEntries(KIND_LIST_NAMES.map((list) => [list, make(list)]));
}

function keysOf(table: ReadonlyMap<string, unknown>, more: readonly string[]): readonly string[] {
  return [...new Set([...table.keys(), ...more])];
}

function collect<List extends KindList>(
  list: List,
  plugins: readonly LoadedPlugin[],
  shippedNames: Readonly<Record<string, string>>,
  refuse: Refuse,
): ReadonlyMap<string, KindEntry<KindOf<List>>> {
  const entries = new Map<string, KindEntry<KindOf<List>>>();
  for (const plugin of plugins.toSorted((left, right) => Number(right.shipped) - Number(left.shipped))) {
    // SAFETY: the contract declares the type of the list with this name.
    const contributed = plugin.plugin.contributes?.[list] as readonly KindOf<List>[] | undefined;
    for (const kind of contributed ?? []) {
      const label = `${calledOf(list)} "${kind.kind}"`;
      const earlier = entries.get(kind.kind);
      const place = { plugin: plugin.plugin.name, file: plugin.file };
      if (earlier !== undefined && earlier.shipped === plugin.shipped) {
        refuse(plugin, kindClash(label, { plugin: earlier.plugin, file: earlier.file }, place));
        continue;
      }
      const shippedBy = Object.hasOwn(shippedNames, kind.kind) ? shippedNames[kind.kind] : earlier?.plugin;
      if (!plugin.shipped && shippedBy !== undefined && !plugin.override && shippedBy !== plugin.specifier) {
        refuse(plugin, kindShipped(label, shippedBy, place));
        continue;
      }
      entries.set(kind.kind, {
        kind,
        plugin: plugin.plugin.name,
        file: plugin.file,
        shipped: plugin.shipped,
        ...(plugin.installed === true ? { installed: true, installedAs: plugin.specifier } : {}),
      });
    }
  }
  return entries;
}
