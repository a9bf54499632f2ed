import type { PageResponse, PageRoute } from '@portolan/plugin-api';
import { h, type VNode } from 'preact';
import { entryPage, registryPage } from '../responses/entry-addresses.ts';
import type { EntryIndexes } from '../responses/entry-index.ts';
import type { ConsoleParts, PageContent, View } from '../layout/view.ts';
import { page } from '../layout/page.ts';
import { findEverywhere } from './find-everywhere.ts';
import { filterQuery } from './list-filter.ts';
import { results, searchForm, tabs } from './list-parts.ts';
import { narrowing } from './narrowing.ts';

export const SEARCH = '/search';

export function searchPage(parts: ConsoleParts, indexes: EntryIndexes): PageRoute {
  const route = {
    path: SEARCH,
    name: 'searchPage',
    summary: 'Entries of all registries, searched and filtered.',
  };
  return page(parts, route, async (view) => await makePage(view, indexes));
}

async function makePage(view: View, indexes: EntryIndexes): Promise<PageContent | PageResponse> {
  const { at } = view;
  const listing = await findEverywhere(view, indexes);
  const { filter, filtered, within, registries, leftOut } = listing;
  await view.request.turn();
  const address = at(SEARCH);
  return {
    title: 'Search',
    trail: [{ path: '/', text: 'Registries' }],
    body: h(
      'div',
      { class: 'inner' },
      h('h1', null, 'All registries'),
      leftOut === 0
        ? null
        : h('p', { class: 'note' }, `The first ${registries} are searched; ${leftOut} more are open to you.`),
      tabs(address, listing),
      searchForm(address, filter),
      h(
        'div',
        { class: 'list-layout' },
        narrowing(address, filter, filtered, []),
        results(
          {
            address,
            addressOf: (entry) => at(entryPage(within(entry.name)[0] ?? '', entry)),
            about: ({ name }) => registriesOf(view, within(name), filterQuery(filter)),
          },
          listing,
        ),
      ),
    ),
  };
}

/** Renders the registries that have an entry, as links to the same search in each registry. */
function registriesOf({ at }: View, registries: readonly string[], query: string): VNode {
  return h(
    'p',
    { class: 'within' },
    'In ',
    registries.map((registry, index) => [
      index === 0 ? '' : ', ',
      h('a', { href: `${at(registryPage(registry))}${query}`, dir: 'auto' }, registry),
    ]),
  );
}
