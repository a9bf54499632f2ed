import { ENTRY_TYPES, type EntryType, type PageRoute, type ResourceClaims } from '@portolan/plugin-api';
import { type ComponentChildren, h } from 'preact';
import type { ConsoleParts } from '../../layout/view.ts';
import { entryPath } from '../entries/entry-paths.ts';
import { ALL_REGISTRIES } from '../registries/registry-paths.ts';
import { ALL_SOURCES } from '../sources/source-paths.ts';
import { type ListedVersion, said } from './api-responses.ts';
import { type ManageView, managePage } from './manage-page.ts';
import { refused } from './refused.ts';
import { claimsText, explained, versionStatus, table } from './show.ts';

interface Row extends Partial<ListedVersion> {
  readonly entryType: 'MCP' | 'SKILL' | 'PLUGIN';
  readonly name: string;
  readonly claims?: ResourceClaims;
  readonly versions?: readonly ListedVersion[];
  readonly sourceName?: string;
}

const TYPES: Readonly<Record<Row['entryType'], EntryType>> = {
  MCP: 'server',
  SKILL: 'skill',
  PLUGIN: 'plugin',
};

interface EntryListOptions {
  readonly what: 'source' | 'registry';
  readonly path: string;
  readonly parameter: string;
  readonly inApi: (name: string) => string;
  readonly pageOf: (name: string, page?: '/entries') => string;
}

/** Returns the page that lists the entries of a source, or of a registry with all of its sources. */
export function entryListPage(
  parts: ConsoleParts,
  { what, path, parameter, inApi, pageOf }: EntryListOptions,
): PageRoute {
  const route = { path, name: `${what}EntriesPage`, summary: `Entries of a ${what}.` };
  return managePage(parts, route, async (view) => {
    const name = view.request.parameters[parameter] ?? '';
    const cursor = view.request.query.get('cursor');
    const query = { limit: '100', ...(cursor === null ? {} : { cursor }) };
    const response = await view.api({ path: `${inApi(name)}/entries`, query });
    if (response.status !== 200) return refused(view, response);
    const { entries, metadata } = said<{
      readonly entries: readonly Row[];
      readonly metadata: { readonly nextCursor?: string };
    }>(response);
    const head = [
      'Name',
      'Type',
      what === 'source' ? 'Versions' : 'Version',
      'Claims',
      ...(what === 'registry' ? ['Source'] : []),
    ];
    const rows = entries.map((row) => [
      nameOf(view, what === 'source' ? name : row.sourceName, row),
      TYPES[row.entryType],
      versionsOf(row),
      claimsText(row.claims),
      ...(what === 'registry' ? [row.sourceName ?? ''] : []),
    ]);
    const next = metadata.nextCursor;
    return {
      title: `Entries of ${name}`,
      trail: [what === 'source' ? ALL_SOURCES : ALL_REGISTRIES, { path: pageOf(name), text: name }],
      body: [
        h('h1', {}, `Entries of ${name}`),
        rows.length === 0
          ? h('p', {}, 'There is nothing here.')
          : [table('Entries', head, rows), await explained(view, { what: 'entry' })],
        next === undefined
          ? undefined
          : h(
              'p',
              {},
              h(
                'a',
                {
                  class: 'button quiet',
                  href: view.at(`${pageOf(name, '/entries')}?cursor=${encodeURIComponent(next)}`),
                },
                'More',
              ),
            ),
      ],
    };
  });
}

/**
 * Renders the name as a link for visitors who may change entries. The linked page reports entries that cannot
 * be changed.
 */
function nameOf(view: ManageView, source: string | undefined, { entryType, name }: Row): ComponentChildren {
  if (!view.roles.includes('manageEntries') || !ENTRY_TYPES.includes(TYPES[entryType])) return name;
  return h('a', { href: view.at(entryPath(TYPES[entryType], name, source)) }, name);
}

const MAX_VERSIONS = 5;

function versionsOf({ versions, version, status }: Row): ComponentChildren {
  const all = versions ?? (version === undefined || status === undefined ? [] : [{ version, status }]);
  const shown = all
    .slice(0, MAX_VERSIONS)
    .map((one) => h('li', {}, one.version, ' ', versionStatus(one.status)));
  const more = all.length - MAX_VERSIONS;
  return h('ul', { class: 'versions' }, shown, more > 0 ? h('li', {}, `and ${more} more`) : undefined);
}
