import type { PageAnswer, PageRoute } from '@portolan/plugin-api';
import { h, type VNode } from 'preact';
import { registryPage as pathOf } from '../answers/entry-addresses.ts';
import type { EntryIndexes } from '../answers/entry-index.ts';
import { ENTRY_TYPES, TYPE_WORDS } from '../answers/entry.ts';
import type { ConsoleParts } from '../layout/console-parts.ts';
import { page, type PageContent, type View } from '../layout/page.ts';
import { code } from '../layout/parts-of-pages.ts';
import { refusedPage } from '../layout/refused-page.ts';
import { findListing, type Listing } from './find-listing.ts';
import { filterQuery, type ListFilter, NO_FACETS } from './list-filter.ts';
import { resultList } from './result-list.ts';
import { narrowing } from './narrowing.ts';

/** What one registry has, to be searched and narrowed by its address. */
export function registryPage(parts: ConsoleParts, indexes: EntryIndexes): PageRoute {
  const route = {
    path: '/browse/{registry}',
    name: 'registryPage',
    summary: 'What a registry has, searched and filtered.',
  };
  return page(parts, route, async (view) => await makePage(view, indexes));
}

async function makePage(view: View, indexes: EntryIndexes): Promise<PageContent | PageAnswer> {
  const { request, at } = view;
  const { registry = '' } = request.parameters;
  const listing = await findListing(view, indexes, registry);
  if ('refused' in listing) return refusedPage(view, listing.refused, `the registry “${registry}”`);
  const { filter, filtered, sources } = listing;
  const address = at(pathOf(registry));
  return {
    title: registry,
    trail: [{ path: '/', text: 'Registries' }],
    body: h(
      'div',
      { class: 'inner' },
      h('h1', { dir: 'auto' }, registry),
      code(`${request.base}/registry/${encodeURIComponent(registry)}`, 'Address for clients'),
      tabs(address, listing),
      searchForm(address, filter),
      h(
        'div',
        { class: 'list-layout' },
        narrowing(address, filter, filtered, sources),
        results(view, registry, listing),
      ),
    ),
  };
}

function tabs(address: string, { filter, counts }: Listing): VNode {
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

function searchForm(address: string, filter: ListFilter): VNode {
  const { type, q, chosen, source } = filter;
  const kept: (readonly [string, string])[] = [
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
      placeholder: `Search ${TYPE_WORDS[type].many.toLowerCase()} by name or description`,
      autocomplete: 'off',
      dir: 'auto',
      maxlength: 200,
      'aria-controls': 'results',
    }),
    h(
      'span',
      { id: 'kept', 'data-live': 'kept', hidden: true },
      kept.map(([name, value]) => h('input', { type: 'hidden', name, value })),
    ),
    h('button', { type: 'submit' }, 'Search'),
  );
}

function results(view: View, registry: string, { filter, filtered, isCut, isPending }: Listing): VNode {
  const { found } = filtered;
  const { many, one } = TYPE_WORDS[filter.type];
  const count = `${found.length.toLocaleString('en')} ${(found.length === 1 ? one : many).toLowerCase()}`;
  return h(
    'section',
    {
      id: 'results',
      'data-live': 'results',
      'aria-label': 'What was found',
      // The script asks again, and has the whole list then.
      'data-pending': isPending ? '' : undefined,
    },
    h(
      'p',
      { class: 'summary', role: 'status' },
      isPending ? `The first ${count}; the others are being counted` : count,
      isCut ? ', among the first that the registry has' : '',
    ),
    resultList(view, registry, filter, found, isPending),
  );
}
