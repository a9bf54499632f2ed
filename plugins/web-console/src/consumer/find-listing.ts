import type { PageRequest } from '@portolan/plugin-api';
import type { EntryIndexes } from '../responses/entry-index.ts';
import { ENTRY_TYPES, type EntryType } from '../responses/entry.ts';
import {
  type EntryIndex,
  type FirstEntries,
  readFirst,
  type Refused,
  type Summary,
} from '../responses/read-list.ts';
import { readNamesFrom, readSourceNames } from '../responses/read-sources.ts';
import { allowedRoles, type RolesView } from '../admin/parts/allowed-roles.ts';
import type { View } from '../layout/view.ts';
import {
  filterInTurns,
  filterKeptEntries,
  isNarrowed,
  type Filtered,
  type ListFilter,
  NO_FACETS,
  PAGE_SIZE,
  readFilter,
} from './list-filter.ts';

export interface Listing {
  readonly filter: ListFilter;
  readonly filtered: Filtered;
  /**
   * Number of matches of each type, without the filters that apply to one type only. Undefined if unknown or
   * still being counted.
   */
  readonly counts: Readonly<Record<EntryType, string | undefined>>;
  /** Sources that the list can be filtered by; none for visitors who may not see sources. */
  readonly sources: readonly string[];
  /** The list exceeds the maximum, and only its beginning was searched. */
  readonly isCut: boolean;
  /** The list is still being read; these are the first entries. */
  readonly isPending: boolean;
}

export interface ListingView extends RolesView {
  readonly request: RolesView['request'] & Pick<PageRequest, 'query' | 'turn'>;
}

/** Maximum time in milliseconds that a page waits for a list that is not cached. */
export const PATIENCE_MS = 80;

/**
 * Returns the entries of a registry that match the current query. For an incomplete list, uses the first
 * matches from the API.
 */
export async function findListing(
  view: ListingView,
  indexes: EntryIndexes,
  registry: string,
): Promise<Listing | Refused> {
  const listFilter = readFilter(view.request.query);
  const fromSource =
    listFilter.source === undefined
      ? undefined
      : await readNamesFrom(view, registry, listFilter.type, listFilter.source);
  // Ignores the source filter of visitors who may not see sources.
  const filter = fromSource === undefined ? { ...listFilter, source: undefined } : listFilter;
  const { type } = filter;
  const others = ENTRY_TYPES.filter((other) => other !== type);
  const lists = indexes.of(view, registry, type);
  const [listing, sources, ...rest] = await Promise.all([
    needsAll(filter) ? lists.find(type) : lists.findSoon(type, PATIENCE_MS),
    sourcesOf(view, registry),
    ...others.map((other) => lists.findSoon(other, PATIENCE_MS)),
  ]);
  if (listing !== undefined && 'refused' in listing) return listing;
  const matches = await Promise.all(
    rest.map(async (list, at) => {
      const other = others[at] ?? type;
      return [
        other,
        await countMatches(view, list, { ...filter, type: other, chosen: NO_FACETS, page: 1 }),
      ] as const;
    }),
  );
  const countsWith = (count: string | undefined): Listing['counts'] =>
    // SAFETY: the list has one element for each entry type.
    Object.fromEntries([...matches, [type, count]]) as Listing['counts'];
  if (listing !== undefined && !('first' in listing)) {
    // Yields first, because searching ten thousand entries takes a while.
    await view.request.turn();
    const filtered =
      fromSource === undefined
        ? await filterKeptEntries(listing.entries, filter, view.request.turn)
        : await filterInTurns(listing.entries, filter, view.request.turn, (name) => fromSource.has(name));
    const counts = countsWith(countText(filtered.matches.length, listing.isCut));
    return { filter, filtered, counts, sources, isCut: listing.isCut, isPending: false };
  }
  const first = await findFirst(view, registry, filter, listing);
  if ('refused' in first) return first;
  const filtered = { matches: first.entries, facets: NO_FACETS };
  const counts = countsWith(undefined);
  return { filter, filtered, counts, sources, isCut: false, isPending: first.hasMore };
}

/** Counts the matches of another type. Returns undefined with a source filter, which it cannot apply. */
async function countMatches(
  { request }: ListingView,
  list: EntryIndex | FirstEntries | Refused | undefined,
  filter: ListFilter,
): Promise<string | undefined> {
  if (filter.source !== undefined) return undefined;
  if (filter.q === '' || list === undefined || !('entries' in list)) return countOf(list);
  await request.turn();
  const { matches } = await filterKeptEntries(list.entries, filter, request.turn);
  return countText(matches.length, list.isCut);
}

export async function findFirst(
  view: Pick<View, 'api'>,
  registry: string,
  { type, q }: Pick<ListFilter, 'type' | 'q'>,
  firstEntries: FirstEntries | undefined,
): Promise<{ readonly entries: readonly Summary[]; readonly hasMore: boolean } | Refused> {
  if (firstEntries !== undefined && q === '')
    return { entries: firstEntries.first.slice(0, PAGE_SIZE), hasMore: true };
  return await readFirst(view, registry, type, q, PAGE_SIZE);
}

/**
 * Returns the source names. Skips the request for visitors without the role, because a refusal costs as much
 * as a success. The API still authorizes.
 */
async function sourcesOf(view: RolesView, registry: string): Promise<readonly string[]> {
  return (await allowedRoles(view)).includes('manageRegistries') ? await readSourceNames(view, registry) : [];
}

/**
 * Returns whether a filter needs the complete list: the API supports one search text and no other filters.
 */
export function needsAll(filter: ListFilter): boolean {
  return filter.page > 1 || /\s/.test(filter.q) || isNarrowed(filter);
}

/** Returns the number of entries as text; undefined if unknown. */
export function countOf(list: EntryIndex | FirstEntries | Refused | undefined): string | undefined {
  if (list === undefined || !('entries' in list)) return undefined;
  return countText(list.entries.length, list.isCut);
}

export function countText(count: number, isCut: boolean): string {
  return `${count.toLocaleString('en')}${isCut ? '+' : ''}`;
}
