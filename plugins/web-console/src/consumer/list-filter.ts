import type { Summary } from '../responses/read-list.ts';
import { type EntryType, TYPE_WORDS, typeOfPath } from '../responses/entry.ts';
import { partsOf } from './short-turns.ts';

/** Filters of a list besides the search text. Keys are the names of query parameters. */
export const FACETS = {
  tag: { label: 'Tag', of: ({ tags }: Summary): readonly string[] => tags },
  transport: { label: 'Transport', of: ({ transports }: Summary): readonly string[] => transports },
  way: { label: 'Comes as', of: ({ ways }: Summary): readonly string[] => ways },
  status: { label: 'Status', of: ({ status }: Summary): readonly string[] => [status] },
} as const;

export type Facet = keyof typeof FACETS;

// SAFETY: these are all keys of the literal above.
export const FACET_NAMES = Object.keys(FACETS) as readonly Facet[];

export interface ListFilter {
  readonly type: EntryType;
  readonly q: string;
  /** Selected values of each filter. An entry must have all of them; `status` takes one value. */
  readonly chosen: Readonly<Record<Facet, readonly string[]>>;
  /** Name of a source, for visitors who may see it. */
  readonly source: string | undefined;
  readonly page: number;
}

export const PAGE_SIZE = 30;
const MAX_TEXT_LENGTH = 200;
const MAX_CHOSEN = 10;

/** Parses a filter from a query, and ignores invalid parts. */
export function readFilter(query: URLSearchParams): ListFilter {
  const chosen = FACET_NAMES.map((facet) => [
    facet,
    [...new Set(query.getAll(facet))]
      .filter((text) => text !== '' && text.length <= MAX_TEXT_LENGTH)
      .slice(0, MAX_CHOSEN),
  ]);
  const page = Number(query.get('page'));
  return {
    type: typeOfPath(query.get('kind') ?? undefined) ?? 'server',
    q: (query.get('q') ?? '').slice(0, MAX_TEXT_LENGTH).trim(),
    // SAFETY: the object has one member for each facet.
    chosen: Object.fromEntries(chosen) as ListFilter['chosen'],
    source: query.get('source') || undefined,
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** Returns the query string of a filter. Resets the page number unless `change` sets it. */
export function filterQuery(filter: ListFilter, change: Partial<ListFilter> = {}): string {
  const { type, q, chosen, source, page } = { ...filter, page: 1, ...change };
  const pairs: [string, string][] = [
    ...(type === 'server' ? [] : [['kind', TYPE_WORDS[type].path] as [string, string]]),
    ...(q === '' ? [] : [['q', q] as [string, string]]),
    ...FACET_NAMES.flatMap((facet) => chosen[facet].map((text): [string, string] => [facet, text])),
    ...(source === undefined ? [] : [['source', source] as [string, string]]),
    ...(page === 1 ? [] : [['page', String(page)] as [string, string]]),
  ];
  const query = new URLSearchParams(pairs).toString();
  return query === '' ? '' : `?${query}`;
}

/** Returns whether a filter has more than a search text. */
export function isNarrowed({ chosen, source }: Pick<ListFilter, 'chosen' | 'source'>): boolean {
  return source !== undefined || FACET_NAMES.some((facet) => chosen[facet].length > 0);
}

/** Value of a filter, with the number of shown entries that have it. */
export interface FacetValue {
  readonly text: string;
  readonly count: number;
  readonly isChosen: boolean;
}

export interface Filtered {
  readonly matches: readonly Summary[];
  readonly facets: Readonly<Record<Facet, readonly FacetValue[]>>;
}

export const NO_FACETS: Readonly<Record<Facet, readonly []>> = {
  tag: [],
  transport: [],
  way: [],
  status: [],
};

/** Results of earlier filters by list, dropped together with the list. */
const REMEMBERED = new WeakMap<readonly Summary[], Map<string, Filtered>>();
const MAX_REMEMBERED = 50;

/** Like `filterInTurns`, but reuses the results of earlier filters of a cached list. */
export async function filterKeptEntries(
  entries: readonly Summary[],
  filter: ListFilter,
  turn: () => Promise<void>,
): Promise<Filtered> {
  const known = REMEMBERED.get(entries) ?? new Map<string, Filtered>();
  REMEMBERED.set(entries, known);
  const key = filterQuery(filter);
  const filtered = known.get(key) ?? (await filterInTurns(entries, filter, turn));
  known.delete(key);
  known.set(key, filtered);
  const [oldest] = known.keys();
  if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
  return filtered;
}

/** Like `filterEntries`, but first reduces the list to the entries that contain all words. */
export async function filterInTurns(
  entries: readonly Summary[],
  filter: ListFilter,
  turn: () => Promise<void>,
  isFromSource?: (name: string) => boolean,
): Promise<Filtered> {
  return await filterEntries(await findWords(entries, wordsOf(filter), turn), filter, turn, isFromSource);
}

/** Returns the matching entries, those with most words in name or title first. Yields to other requests. */
export async function filterEntries(
  entries: readonly Summary[],
  { q, chosen }: Pick<ListFilter, 'q' | 'chosen'>,
  turn: () => Promise<void>,
  isFromSource: (name: string) => boolean = () => true,
): Promise<Filtered> {
  const words = wordsOf({ q });
  const isWanted = (entry: Summary): boolean =>
    words.every((word) => entry.searched.includes(word)) &&
    FACET_NAMES.every((facet) => chosen[facet].every((text) => FACETS[facet].of(entry).includes(text))) &&
    isFromSource(entry.name);
  const summaries: Summary[] = [];
  for await (const part of partsOf(entries, turn)) summaries.push(...part.filter(isWanted));
  const ranked = words.length === 0 ? summaries : await inOrder(summaries, words, turn);
  const facets: [Facet, readonly FacetValue[]][] = [];
  for (const facet of FACET_NAMES)
    facets.push([facet, await valuesOf(summaries, facet, chosen[facet], turn)]);
  // SAFETY: the object has one member for each facet.
  return { matches: ranked, facets: Object.fromEntries(facets) as Filtered['facets'] };
}

function wordsOf({ q }: Pick<ListFilter, 'q'>): readonly string[] {
  return q.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Sorts by the number of words in name or title, highest first. */
async function inOrder(
  summaries: readonly Summary[],
  words: readonly string[],
  turn: () => Promise<void>,
): Promise<readonly Summary[]> {
  const byRank = [...words, ''].map((): Summary[] => []);
  for await (const part of partsOf(summaries, turn))
    for (const entry of part) {
      const called = `${entry.name}\n${entry.title}`.toLowerCase();
      byRank[words.filter((word) => !called.includes(word)).length]?.push(entry);
    }
  return byRank.flat();
}

async function valuesOf(
  matches: readonly Summary[],
  facet: Facet,
  chosen: readonly string[],
  turn: () => Promise<void>,
): Promise<readonly FacetValue[]> {
  const counts = new Map<string, number>(chosen.map((text) => [text, 0]));
  for await (const part of partsOf(matches, turn))
    for (const entry of part)
      for (const text of FACETS[facet].of(entry)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .map(([text, count]) => ({ text, count, isChosen: chosen.includes(text) }))
    .toSorted(
      (left, right) =>
        Number(right.isChosen) - Number(left.isChosen) ||
        right.count - left.count ||
        (left.text < right.text ? -1 : 1),
    );
}

/**
 * Returns the entries that contain every word, in their order. Yields to other requests between parts of a
 * long list.
 */
export async function findWords<Entry extends { readonly searched: string }>(
  entries: readonly Entry[],
  words: readonly string[],
  turn: () => Promise<void>,
): Promise<readonly Entry[]> {
  if (words.length === 0) return entries;
  const matches: Entry[] = [];
  for await (const part of partsOf(entries, turn)) {
    matches.push(...part.filter(({ searched }) => words.every((word) => searched.includes(word))));
  }
  return matches;
}
