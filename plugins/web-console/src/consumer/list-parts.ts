import { h, type VNode } from 'preact';
import { ENTRY_TYPES, TYPE_WORDS } from '../responses/entry.ts';
import type { Listing } from './find-listing.ts';
import { filterQuery, type ListFilter, NO_FACETS } from './list-filter.ts';
import { type ResultLinks, resultList } from './result-list.ts';

export function tabs(address: string, { filter, counts }: Pick<Listing, 'filter' | 'counts'>): VNode {
  return h(
    'nav',
    { class: 'tabs', id: 'kinds', 'data-live': 'kinds', 'aria-label': 'Kinds of entries' },
    ENTRY_TYPES.map((type) =>
      h(
        'a',
        {
          href: `${address}${filterQuery(filter, { type, chosen: NO_FACETS })}`,
          'aria-current': type === filter.type ? 'page' : undefined,
        },
        TYPE_WORDS[type].many,
        h('span', { class: 'count' }, counts[type] ?? ''),
      ),
    ),
  );
}

/** Renders the search form, which keeps the other filters. All filters are in the URL. */
export function searchForm(address: string, filter: ListFilter): VNode {
  const { type, q, chosen, source } = filter;
  const remaining: (readonly [string, string])[] = [
    ...(type === 'server' ? [] : [['kind', TYPE_WORDS[type].path] as const]),
    ...Object.entries(chosen).flatMap(([name, texts]) => texts.map((text) => [name, text] as const)),
    ...(source === undefined ? [] : [['source', source] as const]),
  ];
  return h(
    'form',
    { class: 'search', role: 'search', method: 'get', action: address, 'data-search': '' },
    h('input', {
      type: 'search',
      name: 'q',
      value: q,
      'aria-label': `Search ${TYPE_WORDS[type].many.toLowerCase()}`,
      placeholder: `Search ${TYPE_WORDS[type].many.toLowerCase()}`,
      autocomplete: 'off',
      dir: 'auto',
      maxlength: 200,
      'aria-controls': 'results',
    }),
    h(
      'span',
      { id: 'kept', 'data-live': 'kept', hidden: true },
      remaining.map(([name, value]) => h('input', { type: 'hidden', name, value })),
    ),
    h('button', { type: 'submit' }, 'Search'),
  );
}

export function results(
  place: ResultLinks,
  { filter, filtered, isCut, isPending }: Omit<Listing, 'counts' | 'sources'>,
): VNode {
  const { matches } = filtered;
  const { many, one } = TYPE_WORDS[filter.type];
  const count = `${matches.length.toLocaleString('en')} ${(matches.length === 1 ? one : many).toLowerCase()}`;
  return h(
    'section',
    {
      id: 'results',
      'data-live': 'results',
      'aria-label': 'What was found',
      // The script polls for the complete list.
      'data-pending': isPending ? '' : undefined,
    },
    h(
      'p',
      { class: 'summary', role: 'status' },
      isPending ? `The first ${count}; the others are being counted` : count,
      isCut ? ', among the first that the registry has' : '',
    ),
    resultList(place, filter, matches, isPending),
  );
}
