import { type ComponentChildren, h, type VNode } from 'preact';
import { allowedRoles } from '../admin/parts/allowed-roles.ts';
import { mapOf, textOf } from '../responses/json-value.ts';
import { readSourceNames, readSourceOf, type SourceOf } from '../responses/read-sources.ts';
import type { ShownEntry } from './shown-entry.ts';
import { badge, outside, section } from '../layout/parts-of-pages.ts';
import { day } from './day.ts';

export async function originSection(shown: ShownEntry): Promise<VNode> {
  const { entry, registry } = shown;
  const { document, publishedAt, updatedAt, path: marks } = entry;
  const repository = mapOf(document['repository']);
  const [url, subfolder] = [textOf(repository['url']), textOf(repository['subfolder'])];
  const website = textOf(document['websiteUrl']) ?? textOf(document['homepage']);
  const facts: (readonly [string, ComponentChildren])[] = [
    [
      'Repository',
      url === undefined
        ? null
        : [
            outside(url, url.replace(/^https?:\/\/|\/$/gi, '')),
            subfolder === undefined ? null : [', folder ', h('code', { dir: 'ltr' }, subfolder)],
          ],
    ],
    ['Website', website === undefined ? null : outside(website, website.replace(/^https?:\/\/|\/$/gi, ''))],
    ['Licence', textOf(document['license']) ?? null],
    ['Published', publishedAt === undefined ? null : day(publishedAt)],
    ['Changed', updatedAt === undefined ? null : day(updatedAt)],
    ['Registries on the way', marks.length < 2 ? null : String(marks.length - 1)],
    ['In registry', registry],
    ...(await sourceFacts(shown)),
  ];
  return section(
    'origin',
    'Where it comes from',
    h(
      'dl',
      { class: 'facts' },
      facts.map(([term, value]) =>
        value === null ? null : h('div', null, h('dt', null, term), h('dd', { dir: 'auto' }, value)),
      ),
    ),
  );
}

/**
 * Renders the source for visitors who may see it. With several sources, the visitor requests the look-up,
 * because it is slow.
 */
async function sourceFacts({
  view,
  registry,
  entry,
  path,
}: ShownEntry): Promise<(readonly [string, ComponentChildren])[]> {
  // Skips the request without the role, because a refusal costs as much as a success. The API still
  // authorizes.
  if (!(await allowedRoles(view)).includes('manageRegistries')) return [];
  const names = await readSourceNames(view, registry);
  if (names.length === 0) return [];
  if (names.length > 1 && view.request.query.get('source') !== 'yes') {
    const query = new URLSearchParams({ version: entry.version, source: 'yes' }).toString();
    return [['Source', h('a', { href: `${view.at(path)}?${query}#origin` }, 'Find out which')]];
  }
  const source = await readSourceOf(view, registry, names, entry);
  return source === undefined ? [] : describe(source);
}

function describe({
  name,
  kind,
  phase,
  lastGoodTime,
  revision,
  message,
}: SourceOf): (readonly [string, ComponentChildren])[] {
  return [
    ['Source', [name, ' ', kind === undefined ? null : badge(kind)]],
    [
      'Last good sync',
      lastGoodTime === undefined
        ? null
        : [
            day(lastGoodTime),
            ' ',
            phase === 'failed' ? badge('last sync failed', 'bad') : null,
            phase === 'held' ? badge('last sync held', 'warn') : null,
          ],
    ],
    [
      kind === 'git' ? 'Commit' : 'Read at',
      revision === undefined ? null : h('code', { dir: 'ltr' }, revision),
    ],
    ['It said', message ?? null],
  ];
}
