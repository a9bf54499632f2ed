import type { PageRoute } from '@portolan/plugin-api';
import { h, type VNode } from 'preact';
import { registryPage } from '../responses/entry-addresses.ts';
import type { EntryIndexes } from '../responses/entry-index.ts';
import { readRegistries, type RegistryLink } from '../responses/read-registries.ts';
import { compassRose, rhumbLines } from '../layout/compass-rose.ts';
import type { ConsoleParts, View } from '../layout/view.ts';
import { page } from '../layout/page.ts';
import { commands, nothing } from '../layout/parts-of-pages.ts';
import { SEARCH } from './search-page.ts';
import { ENTRY_TYPES, TYPE_WORDS } from '../responses/entry.ts';
import { countOf, PATIENCE_MS } from './find-listing.ts';

/**
 * Entry counts as text, by registry. Undefined while counting is in progress; absent if nothing counts the
 * registry.
 */
type RegistryCounts = ReadonlyMap<string, string | undefined>;

/** Maximum number of registries that are counted. Each costs one API request, or three after a change. */
const MAX_COUNTED = 12;

/** Counts the entries of each type that the visitor can see, for the first registries. */
async function countEntries(
  view: View,
  indexes: EntryIndexes,
  registries: readonly RegistryLink[],
): Promise<RegistryCounts> {
  return new Map(
    await Promise.all(
      registries
        .slice(0, MAX_COUNTED)
        .map(async ({ name }) => [name, await countIn(view, indexes, name)] as const),
    ),
  );
}

async function countIn(view: View, indexes: EntryIndexes, registry: string): Promise<string | undefined> {
  const lists = indexes.of(view, registry, 'server');
  const matches = await Promise.all(ENTRY_TYPES.map((type) => lists.findSoon(type, PATIENCE_MS)));
  if (matches.some((list) => list === undefined || 'first' in list)) return undefined;
  const words = ENTRY_TYPES.flatMap((type, at) => {
    const count = countOf(matches[at]);
    if (count === undefined || count === '0') return [];
    return [`${count} ${(count === '1' ? TYPE_WORDS[type].one : TYPE_WORDS[type].many).toLowerCase()}`];
  });
  return words.length === 0 ? 'no entries' : words.join(', ');
}

export function homePage(parts: ConsoleParts, indexes: EntryIndexes): PageRoute {
  const route = { path: '/', name: 'homePage', summary: 'The registries that the visitor may read.' };
  return page(parts, route, async (view) => {
    const registries = await readRegistries(view);
    const counts = await countEntries(view, indexes, registries);
    return {
      title: parts.config.title,
      body: [
        hero(view, registries),
        h(
          'div',
          { class: 'inner' },
          registries.length === 0 ? noRegistry(view) : cards(view, registries, counts),
        ),
      ],
    };
  });
}

function hero({ parts, at }: View, registries: readonly RegistryLink[]): VNode {
  const [first] = registries;
  return h(
    'div',
    { class: 'hero' },
    rhumbLines(),
    h(
      'div',
      { class: 'inner' },
      compassRose({ class: 'rose' }),
      h('h1', { dir: 'auto' }, parts.config.title),
      h(
        'p',
        { class: 'lead' },
        'MCP servers, skills and plugins for assistants and editors: what there is, what it needs, and how to get it.',
      ),
      first === undefined
        ? null
        : searchBox(at(registries.length === 1 ? registryPage(first.name) : SEARCH), registries.length),
    ),
  );
}

function searchBox(address: string, registries: number): VNode {
  const label = registries === 1 ? 'Search' : 'Search all registries';
  return h(
    'form',
    { class: 'search', role: 'search', method: 'get', action: address },
    h('input', {
      type: 'search',
      name: 'q',
      'aria-label': label,
      placeholder: label,
      autocomplete: 'off',
      dir: 'auto',
      maxlength: 200,
    }),
    h('button', { type: 'submit' }, 'Search'),
  );
}

function cards({ at }: View, registries: readonly RegistryLink[], counts: RegistryCounts): VNode {
  return h(
    'section',
    {
      id: 'registries',
      'data-live': 'registries',
      'aria-labelledby': 'registries-title',
      'data-pending': [...counts.values()].includes(undefined) ? '' : undefined,
    },
    h('h2', { id: 'registries-title' }, registries.length === 1 ? 'The registry' : 'Registries'),
    h(
      'ul',
      { class: 'cards' },
      registries.map(({ name, url }) =>
        h(
          'li',
          { class: 'card' },
          h('h3', null, h('a', { class: 'stretched', href: at(registryPage(name)), dir: 'auto' }, name)),
          countLine(counts, name),
          h('p', { class: 'quiet' }, 'Address for clients'),
          commands([url], `Address of ${name}`),
        ),
      ),
    ),
  );
}

/** Renders the counts of a registry; an empty line while they are computed. */
function countLine(counts: RegistryCounts, name: string): VNode | null {
  if (!counts.has(name)) return null;
  return h('p', { class: 'counts' }, counts.get(name) ?? 'being counted …');
}

function noRegistry({ visitor, at }: View): VNode {
  const { loginPath } = visitor;
  return nothing(
    'No registry is open to you.',
    loginPath === undefined
      ? h('p', null, 'Ask the operator of this server for access.')
      : h(
          'p',
          null,
          h('a', { class: 'button', href: at(loginPath) }, 'Log in'),
          ' to see those that are open to you.',
        ),
  );
}
