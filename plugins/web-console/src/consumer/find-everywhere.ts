import { type EntryIndexes, readFirst, type Summary } from '../answers/entry-index.ts';
import { ENTRY_TYPES, type EntryType } from '../answers/entry.ts';
import { readRegistries } from '../answers/read-registries.ts';
import type { RegistryLists } from '../answers/registry-lists.ts';
import type { View } from '../layout/page.ts';
import { type Listing, needsAll, PATIENCE_MS } from './find-listing.ts';
import {
  filterEntries,
  filterKeptEntries,
  type Filtered,
  type ListFilter,
  NO_FACETS,
  PAGE_SIZE,
  readFilter,
} from './list-filter.ts';

/** An entry, as the first registry that has it shows it. */
export interface FoundEntry extends Summary {
  /** Those that have it, at least one. */
  readonly registries: readonly string[];
}

/** What is found in all registries. */
export interface WideListing extends Omit<Listing, 'filtered' | 'sources'> {
  readonly filtered: Filtered<FoundEntry>;
  /** How many were searched, and how many were not. */
  readonly registries: number;
  readonly leftOut: number;
}

/** Each registry is three lists, which are looked through one by one. */
const MOST_REGISTRIES = 20;

/** What one registry has of a type under a filter. */
interface Part {
  readonly registry: string;
  readonly found: readonly Summary[];
  readonly isCut: boolean;
  readonly isPending: boolean;
}

/** What the visitor finds in all registries under this address, each entry once. Without a whole list, it is what the API finds at once. */
export async function findEverywhere(view: View, indexes: EntryIndexes): Promise<WideListing> {
  const all = (await readRegistries(view)).map(({ name }) => name);
  const registries = all.slice(0, MOST_REGISTRIES);
  // A source belongs to its registry: here nobody narrows by it.
  const filter: ListFilter = { ...readFilter(view.request.query), source: undefined };
  const lists = registries.map((registry) => [registry, indexes.of(view, registry, filter.type)] as const);
  const found = await Promise.all(
    ENTRY_TYPES.map(async (type) => {
      // What is chosen is left out when another type is looked at.
      const own = type === filter.type ? filter : { ...filter, type, chosen: NO_FACETS, page: 1 };
      const parts = await Promise.all(
        lists.map(async ([registry, list]) => await findIn(view, list, registry, own)),
      );
      return [type, parts] as const;
    }),
  );
  const byType = new Map<EntryType, readonly Part[]>(found);
  const parts = byType.get(filter.type) ?? [];
  const [united, isPending] = [unite(parts), parts.some((part) => part.isPending)];
  const filtered = isPending ? { found: united, facets: NO_FACETS } : filterEntries(united, filter);
  // SAFETY: one for each type.
  const counts = Object.fromEntries(found.map(([type, some]) => [type, countOf(some)])) as Listing['counts'];
  return {
    filter,
    filtered,
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
  const nothing = { registry, found: [], isCut: false, isPending: false };
  // It is closed meanwhile, or has no entries of this type.
  if (list !== undefined && 'refused' in list) return nothing;
  await view.request.turn();
  if (list !== undefined) {
    const { found } = await filterKeptEntries(list.entries, filter, view.request.turn);
    return { ...nothing, found, isCut: list.isCut };
  }
  const first = await readFirst(view, registry, filter.type, filter.q, PAGE_SIZE);
  return 'refused' in first ? nothing : { ...nothing, found: first.entries, isPending: first.hasMore };
}

/** Each entry once, by name, with the registries that have it. */
function unite(parts: readonly Part[]): readonly FoundEntry[] {
  const byName = new Map<string, FoundEntry & { readonly registries: string[] }>();
  for (const { registry, found } of parts)
    for (const entry of found) {
      const known = byName.get(entry.name);
      if (known === undefined) byName.set(entry.name, { ...entry, registries: [registry] });
      else known.registries.push(registry);
    }
  const entries = [...byName.values()];
  if (parts.length < 2) return entries;
  // In the order in which each registry has them.
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function countOf(parts: readonly Part[]): string | undefined {
  if (parts.some(({ isPending }) => isPending)) return undefined;
  const names = new Set(parts.flatMap(({ found }) => found.map(({ name }) => name)));
  return `${names.size.toLocaleString('en')}${parts.some(({ isCut }) => isCut) ? '+' : ''}`;
}
