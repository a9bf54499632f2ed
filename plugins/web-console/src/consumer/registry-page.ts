import type { PageAnswer, PageRoute } from '@portolan/plugin-api';
import { h, type VNode } from 'preact';
import { registryPage as pathOf } from '../answers/entry-addresses.ts';
import { type EntryIndex, type EntryIndexes, type Refused } from '../answers/entry-index.ts';
import { ENTRY_TYPES, type EntryType, TYPE_WORDS } from '../answers/entry.ts';
import { readNamesFrom, readSourceNames } from '../answers/read-sources.ts';
import type { ConsoleParts } from '../layout/console-parts.ts';
import { page, type PageContent, type View } from '../layout/page.ts';
import { code } from '../layout/parts-of-pages.ts';
import { refusedPage } from '../layout/refused-page.ts';
import { filterEntries, type Filtered, filterQuery, type ListFilter, readFilter } from './list-filter.ts';
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
  const asked = readFilter(request.query);
  const lists = await findLists(view, indexes, registry);
  const wanted = lists[asked.type];
  if ('refused' in wanted) return refusedPage(view, wanted.refused, `the registry “${registry}”`);
  const sources = await readSourceNames(view, registry);
  const fromSource =
    asked.source === undefined ? undefined : await readNamesFrom(view, registry, asked.type, asked.source);
  // Who may not know the sources is asked about none.
  const filter = fromSource === undefined ? { ...asked, source: undefined } : asked;
  const filtered = filterEntries(wanted.entries, filter, (name) => fromSource?.has(name) ?? true);
  const address = at(pathOf(registry));
  return {
    title: registry,
    trail: [{ path: '/', text: 'Registries' }],
    body: h(
      'div',
      { class: 'inner' },
      h('div', { class: 'title-row' }, h('h1', { dir: 'auto' }, registry)),
      code(`${request.base}/registry/${encodeURIComponent(registry)}`, 'Address for clients'),
      tabs(address, filter, lists),
      searchForm(address, filter),
      h(
        'div',
        { class: 'list-layout' },
        narrowing(address, filter, filtered, sources),
        results(view, registry, filter, filtered, wanted),
      ),
    ),
  };
}

type Lists = Readonly<Record<EntryType, EntryIndex | Refused>>;

async function findLists(view: View, indexes: EntryIndexes, registry: string): Promise<Lists> {
  const found = await Promise.all(
    ENTRY_TYPES.map(async (type) => [type, await indexes.find(view, registry, type)] as const),
  );
  // SAFETY: one for each type.
  return Object.fromEntries(found) as Lists;
}

function tabs(address: string, filter: ListFilter, lists: Lists): VNode {
  return h(
    'nav',
    { class: 'tabs', id: 'kinds', 'data-live': 'kinds', 'aria-label': 'Kinds of entries' },
    ENTRY_TYPES.map((type) => {
      const list = lists[type];
      const count =
        'refused' in list ? '' : `${list.entries.length.toLocaleString('en')}${list.isCut ? '+' : ''}`;
      const empty = { tag: [], transport: [], way: [], status: [] };
      return h(
        'a',
        {
          href: `${address}${filterQuery(filter, { type, chosen: empty })}`,
          'aria-current': type === filter.type ? 'page' : undefined,
        },
        TYPE_WORDS[type].many,
        h('span', { class: 'count' }, count),
      );
    }),
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

function results(
  view: View,
  registry: string,
  filter: ListFilter,
  { found }: Filtered,
  { isCut }: EntryIndex,
): VNode {
  const { many, one } = TYPE_WORDS[filter.type];
  const count = found.length.toLocaleString('en');
  return h(
    'section',
    { id: 'results', 'data-live': 'results', 'aria-label': 'What was found' },
    h(
      'p',
      { class: 'summary', role: 'status' },
      `${count} ${(found.length === 1 ? one : many).toLowerCase()}`,
      isCut ? ', among the first that the registry has' : '',
    ),
    resultList(view, registry, filter, found),
  );
}
