import type { PageResponse, PageRoute } from '@portolan/plugin-api';
import { h } from 'preact';
import { entryPage, registryPage as pathOf } from '../responses/entry-addresses.ts';
import type { EntryIndexes } from '../responses/entry-index.ts';
import type { ConsoleParts, PageContent, View } from '../layout/view.ts';
import { page } from '../layout/page.ts';
import { commands } from '../layout/parts-of-pages.ts';
import { refusedPage } from '../layout/refused-page.ts';
import { findListing } from './find-listing.ts';
import { filterQuery, NO_FACETS } from './list-filter.ts';
import { results, searchForm, tabs } from './list-parts.ts';
import { narrowing } from './narrowing.ts';
import { SEARCH } from './search-page.ts';

/** Returns the page of one registry, which the query of the URL searches and filters. */
export function registryPage(parts: ConsoleParts, indexes: EntryIndexes): PageRoute {
  const route = {
    path: '/browse/{registry}',
    name: 'registryPage',
    summary: 'Entries of a registry, searched and filtered.',
  };
  return page(parts, route, async (view) => await makePage(view, indexes));
}

async function makePage(view: View, indexes: EntryIndexes): Promise<PageContent | PageResponse> {
  const { request, at } = view;
  const { registry = '' } = request.parameters;
  const listing = await findListing(view, indexes, registry);
  if ('refused' in listing) return refusedPage(view, listing.refused, `the registry “${registry}”`);
  const { filter, filtered, sources } = listing;
  await request.turn();
  const address = at(pathOf(registry));
  return {
    title: registry,
    trail: [{ path: '/', text: 'Registries' }],
    body: h(
      'div',
      { class: 'inner' },
      h('h1', { dir: 'auto' }, registry),
      h('p', { class: 'address quiet' }, 'Address for clients'),
      commands([`${request.base}/registry/${encodeURIComponent(registry)}`], 'Address for clients'),
      tabs(address, listing),
      searchForm(address, filter),
      h(
        'div',
        { class: 'list-layout' },
        narrowing(address, filter, filtered, sources),
        results(
          {
            address,
            addressOf: (entry) => at(entryPage(registry, entry)),
            elsewhere: `${at(SEARCH)}${filterQuery(filter, { chosen: NO_FACETS, source: undefined })}`,
          },
          listing,
        ),
      ),
    ),
  };
}
