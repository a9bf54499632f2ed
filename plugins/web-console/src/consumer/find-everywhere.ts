import type { EntryIndexes } from '../responses/entry-index.ts';
import { ENTRY_TYPES, type EntryType } from '../responses/entry.ts';
import type { Summary } from '../responses/read-list.ts';
import { readRegistries } from '../responses/read-registries.ts';
import type { RegistryLists } from '../responses/registry-lists.ts';
import type { View } from '../layout/view.ts';
import { countText, findFirst, type Listing, needsAll, PATIENCE_MS } from './find-listing.ts';
import {
  filterEntries,
  filterKeptEntries,
  type Filtered,
  type ListFilter,
  NO_FACETS,
  readFilter,
} from './list-filter.ts';
import { partsOf } from './short-turns.ts';

/**
 * Search result over all registries. If several registries have an entry, it has the content of the first.
 */
export interface WideListing extends Omit<Listing, 'sources'>, United {
  readonly registries: number;
  readonly leftOut: number;
}

/** Maximum number of registries that are searched. Each has three lists. */
const MAX_REGISTRIES = 20;

interface United {
  readonly filtered: Filtered;
  /** Returns the registries that contain an entry; at least one. */
  readonly within: (name: string) => readonly string[];
}

interface Part {
  readonly registry: string;
  readonly filtered: Filtered;
  readonly isCut: boolean;
  readonly isPending: boolean;
}

/**
 * Searches all registries of the visitor, and merges entries by name. For an incomplete list, uses the first
 * matches from the API.
 */
export async function findEverywhere(view: View, indexes: EntryIndexes): Promise<WideListing> {
  const all = (await readRegistries(view)).map(({ name }) => name);
  const registries = all.slice(0, MAX_REGISTRIES);
  // Sources belong to one registry, so they cannot filter this search.
  const filter: ListFilter = { ...readFilter(view.request.query), source: undefined };
  const lists = registries.map((registry) => [registry, indexes.of(view, registry, filter.type)] as const);
  const matches = await Promise.all(
    ENTRY_TYPES.map(async (type) => {
      // The filters of one type do not apply to others.
      const own = type === filter.type ? filter : { ...filter, type, chosen: NO_FACETS, page: 1 };
      const parts = await Promise.all(
        lists.map(async ([registry, list]) => await findIn(view, list, registry, own)),
      );
      return [type, parts] as const;
    }),
  );
  const byType = new Map<EntryType, readonly Part[]>(matches);
  const parts = byType.get(filter.type) ?? [];
  const isPending = parts.some((part) => part.isPending);
  // SAFETY: the list has one element for each entry type.
  const counts = Object.fromEntries(
    matches.map(([type, some]) => [type, countOf(some)]),
  ) as Listing['counts'];
  return {
    filter,
    ...(await unite(parts, filter, isPending, view.request.turn)),
    counts,
    isCut: parts.some((part) => part.isCut),
    isPending,
    registries: registries.length,
    leftOut: all.length - registries.length,
  };
}

async function findIn(view: View, lists: RegistryLists, registry: string, filter: ListFilter): Promise<Part> {
  const list = needsAll(filter)
    ? await lists.find(filter.type)
    : await lists.findSoon(filter.type, PATIENCE_MS);
  const nothing = { registry, filtered: { matches: [], facets: NO_FACETS }, isCut: false, isPending: false };
  // The registry was closed meanwhile, or has no entries of this type.
  if (list !== undefined && 'refused' in list) return nothing;
  await view.request.turn();
  if (list !== undefined && !('first' in list)) {
    const filtered = await filterKeptEntries(list.entries, filter, view.request.turn);
    return { ...nothing, filtered, isCut: list.isCut };
  }
  const first = await findFirst(view, registry, filter, list);
  if ('refused' in first) return nothing;
  return { ...nothing, filtered: { ...nothing.filtered, matches: first.entries }, isPending: first.hasMore };
}

/** Merges entries by name, and records which registries have each. */
async function unite(
  parts: readonly Part[],
  filter: ListFilter,
  isPending: boolean,
  turn: () => Promise<void>,
): Promise<United> {
  const having = parts.filter(({ filtered: { matches } }) => matches.length > 0);
  const [only = parts[0]] = having;
  // The result of a single registry is already sorted and filtered.
  if (only !== undefined && having.length < 2) {
    const facets = isPending ? NO_FACETS : only.filtered.facets;
    return { filtered: { ...only.filtered, facets }, within: () => [only.registry] };
  }
  const byName = new Map<string, { readonly entry: Summary; readonly registries: string[] }>();
  for (const { registry, filtered } of having)
    for await (const some of partsOf(filtered.matches, turn))
      for (const entry of some) {
        const known = byName.get(entry.name);
        if (known === undefined) byName.set(entry.name, { entry, registries: [registry] });
        else known.registries.push(registry);
      }
  // Sorts by name, which is also the order within each registry.
  const united = [...byName.values()]
    .map(({ entry }) => entry)
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return {
    filtered: isPending ? { matches: united, facets: NO_FACETS } : await filterEntries(united, filter, turn),
    within: (name) => byName.get(name)?.registries ?? [],
  };
}

function countOf(parts: readonly Part[]): string | undefined {
  if (parts.some(({ isPending }) => isPending)) return undefined;
  const having = parts
    .map(({ filtered: { matches } }) => matches)
    .filter((summaries) => summaries.length > 0);
  const [only = []] = having;
  const count =
    having.length < 2
      ? only.length
      : new Set(having.flatMap((summaries) => summaries.map(({ name }) => name))).size;
  return countText(
    count,
    parts.some(({ isCut }) => isCut),
  );
}
