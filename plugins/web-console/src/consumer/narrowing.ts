import { h, type VNode } from 'preact';
import {
  type Facet,
  FACET_NAMES,
  FACETS,
  type FacetValue,
  type Filtered,
  filterQuery,
  isNarrowed,
  type ListFilter,
  NO_FACETS,
} from './list-filter.ts';

const SHOWN_VALUES = 10;
const MAX_VALUES = 30;

/** Renders the filters of a list as links, because each filter is a URL. */
export function narrowing(
  address: string,
  filter: ListFilter,
  { facets }: Filtered,
  sources: readonly string[],
): VNode {
  const groups = FACET_NAMES.filter(
    (facet) => facets[facet].length > (facet === 'status' ? 1 : 0) || filter.chosen[facet].length > 0,
  );
  const hasSources = sources.length > 1 || filter.source !== undefined;
  return h(
    'aside',
    { id: 'filters', 'data-live': 'filters', 'aria-label': 'Filters' },
    groups.length === 0 && !hasSources
      ? null
      : h(
          'details',
          { class: 'filters', open: isNarrowed(filter) },
          h('summary', null, 'Filters'),
          isNarrowed(filter) ? clearAll(address, filter) : null,
          groups.map((facet) => group(address, filter, facet, facets[facet])),
          hasSources ? sourceGroup(address, filter, sources) : null,
        ),
  );
}

function clearAll(address: string, filter: ListFilter): VNode {
  const href = `${address}${filterQuery(filter, { chosen: NO_FACETS, source: undefined })}`;
  return h('p', null, h('a', { class: 'clear', 'data-filter': '', href }, 'Clear all'));
}

function group(address: string, filter: ListFilter, facet: Facet, values: readonly FacetValue[]): VNode {
  const links = values.slice(0, MAX_VALUES).map((value) => facetLink(address, filter, facet, value));
  const [first, rest] = [links.slice(0, SHOWN_VALUES), links.slice(SHOWN_VALUES)];
  return h(
    'div',
    { class: 'facet', role: 'group', 'aria-label': FACETS[facet].label },
    h('h2', { class: 'facet-title' }, FACETS[facet].label),
    h('ul', null, first),
    rest.length === 0
      ? null
      : h('details', null, h('summary', null, `${rest.length} more`), h('ul', null, rest)),
  );
}

function facetLink(
  address: string,
  filter: ListFilter,
  facet: Facet,
  { text, count, isChosen }: FacetValue,
): VNode {
  const before = filter.chosen[facet];
  const after = isChosen ? before.filter((one) => one !== text) : [...before, text];
  return filterLink(
    facet,
    `${address}${filterQuery(filter, { chosen: { ...filter.chosen, [facet]: after } })}`,
    text,
    isChosen,
    count,
  );
}

function sourceGroup(address: string, filter: ListFilter, sources: readonly string[]): VNode {
  return h(
    'div',
    { class: 'facet', role: 'group', 'aria-label': 'Source' },
    h('h2', { class: 'facet-title' }, 'Source'),
    h(
      'ul',
      null,
      sources.map((source) => {
        const isChosen = source === filter.source;
        return filterLink(
          'source',
          `${address}${filterQuery(filter, { source: isChosen ? undefined : source })}`,
          source,
          isChosen,
        );
      }),
    ),
  );
}

function filterLink(facet: string, href: string, text: string, isChosen: boolean, count?: number): VNode {
  // The script restores the focus by this id.
  const id = `${facet}-${Buffer.from(text).toString('base64url')}`;
  return h(
    'li',
    null,
    h(
      'a',
      {
        id,
        href,
        'data-filter': '',
        class: isChosen ? 'chosen' : undefined,
        'aria-current': isChosen ? 'true' : undefined,
      },
      h('bdi', null, text),
      isChosen ? h('span', { class: 'sr' }, ', chosen; take it away') : null,
      count === undefined ? null : h('span', { class: 'count' }, String(count)),
    ),
  );
}
