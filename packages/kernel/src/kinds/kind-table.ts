import type { Host } from '@portolan/plugin-api';
import type { ShippedKinds } from '../plugins/plugin-origins.ts';
import { kindClash, kindShipped } from './kind-errors.ts';
import { calledOf, KIND_LIST_NAMES, type KindList, type KindOf } from '../kind-lists/kind-lists.ts';
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
  /** Name of the plugin for `plugins` of a configuration; set when it was installed and no configuration names it. */
  readonly installedAs?: string;
}

/** The kinds of each list by name. */
export type KindTable = {
  readonly [List in KindList]: ReadonlyMap<string, KindEntry<KindOf<List>>>;
};

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
  // SAFETY: every list is in it, with the kinds of that list.
  return forEachList((list) =>
    collect(list, plugins, packagesOf(shipped, list), refuse),
  ) as unknown as KindTable;
}

/** All names a kind may be used by: what is in the table, then what is shipped beside it. */
export function nameKinds(kinds: KindTable, shipped: ShippedKinds, host: Host): KindNames {
  const serving = (list: KindList): readonly string[] =>
    Object.entries<unknown>(shipped[list] ?? {}).flatMap(([name, brought]) =>
      servesAnother(brought, host) ? [] : [name],
    );
  // SAFETY: every list is in it.
  return forEachList((list) => keysOf(kinds[list], serving(list))) as KindNames;
}

function servesAnother(brought: unknown, host: Host): boolean {
  if (typeof brought !== 'object' || brought === null || !('hosts' in brought)) return false;
  return Array.isArray(brought.hosts) && !brought.hosts.includes(host);
}

/** Something for each list. */
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
    // The list of the contract that has this name.
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
