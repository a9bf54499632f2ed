import { h, type VNode } from 'preact';
import type { Summary } from '../responses/read-list.ts';
import { TYPE_WORDS } from '../responses/entry.ts';
import { badge, foreign, nothing, statusBadge, tile } from '../layout/parts-of-pages.ts';
import { filterQuery, isNarrowed, type ListFilter, PAGE_SIZE } from './list-filter.ts';

const SHOWN_TAGS = 6;

export interface ResultLinks {
  readonly address: string;
  readonly addressOf: (entry: Summary) => string;
  readonly about?: (entry: Summary) => VNode | null;
  /** Path of a broader search. */
  readonly elsewhere?: string;
}

export function resultList(
  { address, addressOf, about, elsewhere }: ResultLinks,
  filter: ListFilter,
  summaries: readonly Summary[],
  hasMore: boolean,
): VNode {
  if (summaries.length === 0) return noResults(filter, elsewhere);
  // An incomplete list has at least one more page.
  const pages = Math.ceil(summaries.length / PAGE_SIZE) + (hasMore ? 1 : 0);
  const page = Math.min(filter.page, pages);
  const shown = summaries.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  return h(
    'div',
    null,
    h(
      'ul',
      { class: 'entries' },
      shown.map((entry) => entryRow(addressOf(entry), entry, about?.(entry) ?? null)),
    ),
    pages === 1
      ? null
      : pager((to) => `${address}${filterQuery(filter, { page: to })}`, page, pages, hasMore),
  );
}

function entryRow(address: string, entry: Summary, about: VNode | null): VNode {
  const { name, title, description, version, status, tier, tags, transports, ways } = entry;
  return h(
    'li',
    { class: 'entry' },
    tile(title),
    h(
      'div',
      { class: 'about' },
      h(
        'h2',
        null,
        h('a', { class: 'stretched', href: address, dir: 'auto' }, title),
        ' ',
        statusBadge(status),
      ),
      h('p', { class: 'name' }, h('bdi', null, name), ' ', h('span', { class: 'version' }, version)),
      foreign('p', description, { class: 'description' }),
      about,
      h(
        'p',
        { class: 'badges' },
        tier === 'Official' ? badge('Official', 'accent') : null,
        ways.map((way) => badge(way)),
        transports.filter((transport) => transport !== 'stdio').map((transport) => badge(transport)),
        tags.slice(0, SHOWN_TAGS).map((tag) => h('span', { class: 'tag', dir: 'auto' }, tag)),
      ),
    ),
  );
}

function pager(addressOf: (page: number) => string, page: number, pages: number, hasMore: boolean): VNode {
  const link = (to: number, text: string, rel: string): VNode =>
    h('a', { class: 'button quiet', href: addressOf(to), 'data-filter': '', rel }, text);
  return h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages' },
    page > 1 ? link(page - 1, 'Previous', 'prev') : h('span', null),
    h('span', null, hasMore ? `Page ${page}` : `Page ${page} of ${pages.toLocaleString('en')}`),
    page < pages ? link(page + 1, 'Next', 'next') : h('span', null),
  );
}

function noResults(filter: ListFilter, elsewhere: string | undefined): VNode {
  const { q, type } = filter;
  const kind = TYPE_WORDS[type].many.toLowerCase();
  if (q === '') return nothing(`There are no ${kind} here that you may see.`);
  return nothing(
    `No ${kind} for “${q}”.`,
    h(
      'p',
      null,
      `All words that you type are looked for in names, titles and descriptions. ${isNarrowed(filter) ? 'Fewer words, or fewer filters, find more.' : 'Fewer words find more.'}`,
    ),
    elsewhere === undefined ? null : h('p', null, h('a', { href: elsewhere }, 'Search all registries')),
  );
}
